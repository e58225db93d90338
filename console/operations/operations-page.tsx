import { go } from '../parts/location.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { AuditTab } from './audit-tab.tsx';
import { DeadLettersTab } from './dead-letters-tab.tsx';
import { HeldAnswersTab } from './held-answers-tab.tsx';
import { HeldEffectsTab } from './held-effects-tab.tsx';
import { KeysTab } from './keys-tab.tsx';
import { OutboxTab } from './outbox-tab.tsx';
import { QuarantineTab } from './quarantine-tab.tsx';
import { QueuesTab } from './queues-tab.tsx';
import { StuckTab } from './stuck-tab.tsx';

const tabs = [
  { id: 'queues', label: 'Queues and workers', content: () => <QueuesTab /> },
  { id: 'dlq', label: 'Dead letters', content: () => <DeadLettersTab /> },
  { id: 'quarantine', label: 'Quarantine', content: () => <QuarantineTab /> },
  { id: 'effects', label: 'Held effects', content: () => <HeldEffectsTab /> },
  { id: 'answers', label: 'Held answers', content: () => <HeldAnswersTab /> },
  { id: 'stuck', label: 'Stuck jobs', content: () => <StuckTab /> },
  { id: 'outbox', label: 'Outbox', content: () => <OutboxTab /> },
  { id: 'keys', label: 'Keys', content: () => <KeysTab /> },
  { id: 'audit', label: 'Audit', content: () => <AuditTab /> },
];

export default function OperationsPage({ tab }: { readonly tab: string | undefined }) {
  return (
    <>
      <h1>Operations</h1>
      <Tabs
        label="Operations"
        tabs={tabs}
        chosen={tab ?? 'queues'}
        onChoose={(id) => go(`/operations/${id}`, 'replace')}
      />
    </>
  );
}
