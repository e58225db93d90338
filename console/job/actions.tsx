import { useState } from 'react';
import type { Answer } from '../api/call.ts';
import { formatExact, type Json } from '../api/exact-json.ts';
import { useSession } from '../api/session.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { CancelDialog } from './cancel-dialog.tsx';
import { RedriveDialog } from './redrive-dialog.tsx';
import type { History } from './use-history.ts';
import type { Job } from './use-job.ts';

type Effects = Answer<'listEffects'>['effects'];

/** What can be done with the job; only what the key allows is offered. */
export function Actions(props: {
  readonly job: Job;
  readonly trail?: Answer<'getTrail'> | undefined;
  readonly effects?: Effects | undefined;
  readonly history?: History;
  readonly execution?: Answer<'getExecution'> | undefined;
  readonly onDone: () => void;
}) {
  const { job, onDone } = props;
  const { isOperator, mayWrite } = useSession();
  const [open, setOpen] = useState<'redrive' | 'cancel'>();
  const close = (): void => setOpen(undefined);
  const isOpen = job.status === 'PENDING' || job.status === 'RUNNING';
  const isRedrivable = ['FAILED', 'CANCELLED', 'EXPIRED'].includes(job.status);
  const isCancellable = isOpen || job.status === 'FAILED';
  return (
    <div className="actions">
      {isOperator && isRedrivable && (
        <button type="button" className="primary" onClick={() => setOpen('redrive')}>
          Redrive …
        </button>
      )}
      {mayWrite && isCancellable && (
        <button type="button" onClick={() => setOpen('cancel')}>
          Cancel …
        </button>
      )}
      <CopyButton label="Copy as curl" text={curlOf(job.jobId)} />
      <CopyButton label="Copy as CLI" text={`npm run pawl -- get ${job.jobId}`} />
      <button type="button" className="quiet small" onClick={() => exportJson(props)}>
        Export as JSON
      </button>
      {open === 'redrive' && <RedriveDialog jobId={job.jobId} onClose={close} onDone={onDone} />}
      {open === 'cancel' && (
        <CancelDialog jobId={job.jobId} effects={props.effects} onClose={close} onDone={onDone} />
      )}
    </div>
  );
}

/** The key stays out of it: the line reads it from the environment, as the runbooks have it. */
const curlOf = (jobId: string): string =>
  `curl -sS -H "Authorization: Bearer $PAWL_KEY" ${window.location.origin}/jobs/${jobId}`;

/** All that the page knows of the job, as a file. */
function exportJson(props: Parameters<typeof Actions>[0]): void {
  const { job, trail, effects, execution, history } = props;
  const all = {
    job,
    trail: trail ?? null,
    effects: effects ?? null,
    execution: execution?.execution ?? null,
    definition: execution?.definition ?? null,
    history: history?.events ?? null,
  };
  const text = formatExact(dropUndefined(all));
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = `job-${job.jobId}.json`;
  link.click();
  window.setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

function dropUndefined(value: unknown): Json {
  if (Array.isArray(value)) return value.map(dropUndefined);
  if (typeof value !== 'object' || value === null || value.constructor !== Object)
    return value as Json;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .map(([name, member]) => [name, dropUndefined(member)]),
  );
}
