import { useState } from 'react';
import { Dialog } from '../parts/dialog.tsx';
import { count } from '../parts/format.ts';
import { JsonView } from '../parts/json-view.tsx';
import { Link } from '../parts/location.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { Ago } from '../parts/time.tsx';
import { useAction } from '../parts/use-action.ts';
import { useChoice } from './use-choice.ts';

/** A message that lies somewhere until a person has looked at it. */
export type LyingMessage = {
  readonly id: string;
  readonly reason: string;
  readonly code?: string | undefined;
  readonly jobId?: string | null | undefined;
  readonly receiveCount: number;
  readonly firstSeenAt: string | null;
  readonly lastSeenAt: string | null;
  readonly body: string;
  readonly attributes: Readonly<Record<string, string>>;
};

/** `ids` undefined: all of them. Gives how many were done and whether some are left that were meant. */
export type MessageAction = (
  what: 'redrive' | 'discard',
  ids: readonly string[] | undefined,
  reason: string,
) => Promise<{ readonly done: number; readonly more: boolean }>;

/** Messages to be inspected, sent again or given up, some or all. */
export function MessageList(props: {
  readonly messages: readonly LyingMessage[];
  readonly act: MessageAction;
  readonly onDone: () => void;
}) {
  const { messages, act, onDone } = props;
  const choice = useChoice(messages.map(({ id }) => id));
  const [asking, setAsking] = useState<{
    what: 'redrive' | 'discard';
    ids: readonly string[] | undefined;
  }>();
  const [told, setTold] = useState('');
  return (
    <>
      <div className="actions">
        {(['redrive', 'discard'] as const).map((what) => (
          <button
            key={what}
            type="button"
            disabled={choice.ids.length === 0}
            onClick={() => setAsking({ what, ids: choice.ids })}
          >
            {labels[what]} {choice.ids.length === 0 ? 'chosen' : count(choice.ids.length)} …
          </button>
        ))}
        {(['redrive', 'discard'] as const).map((what) => (
          <button
            key={what}
            type="button"
            className="quiet"
            onClick={() => setAsking({ what, ids: undefined })}
          >
            {labels[what]} all …
          </button>
        ))}
        <span role="status">{told}</span>
      </div>
      <ul className="messages">
        {messages.map((message) => (
          <li key={message.id}>
            <label className="choice">
              <input
                type="checkbox"
                checked={choice.has(message.id)}
                onChange={() => choice.toggle(message.id)}
                aria-label={`Choose message ${message.id}`}
              />
            </label>
            <Message message={message} />
          </li>
        ))}
      </ul>
      {asking !== undefined && (
        <ReasonDialog
          title={`${labels[asking.what]} ${asking.ids === undefined ? 'all messages' : `${count(asking.ids.length)} ${asking.ids.length === 1 ? 'message' : 'messages'}`}`}
          isDangerous={asking.what === 'discard'}
          onClose={() => setAsking(undefined)}
          act={async (reason) => {
            const { done, more } = await act(asking.what, asking.ids, reason);
            setTold(
              `${count(done)} ${asking.what === 'redrive' ? 'sent again' : 'discarded'}${more ? '; some are left: do it again' : ''}`,
            );
            choice.clear();
            onDone();
          }}
        />
      )}
    </>
  );
}

const labels = { redrive: 'Redrive', discard: 'Discard' } as const;

/** Messages that lie there for the same reason are told apart by how they begin. */
const beginning = 120;

function Message({ message }: { readonly message: LyingMessage }) {
  const { code, reason, jobId, receiveCount, firstSeenAt, lastSeenAt, body, attributes } = message;
  return (
    <details>
      <summary>
        <span>
          {code !== undefined && <code>{code}</code>} {reason}
        </span>
        <span className="faint">
          seen <Ago at={lastSeenAt ?? firstSeenAt} />, received {count(receiveCount)}×
        </span>
        <code className="beginning">{body.slice(0, beginning)}</code>
      </summary>
      <p className="faint">
        message {message.id}, first seen <Ago at={firstSeenAt} />
        {jobId != null && (
          <>
            , about job{' '}
            <Link to={`/jobs/${jobId}`} className="id">
              {jobId}
            </Link>
          </>
        )}
      </p>
      <JsonView label="Body" text={body} />
      {Object.keys(attributes).length > 0 && <JsonView label="Attributes" value={attributes} />}
    </details>
  );
}

/** Asks why, and does it. */
export function ReasonDialog(props: {
  readonly title: string;
  readonly isDangerous: boolean;
  readonly act: (reason: string) => Promise<void>;
  readonly onClose: () => void;
}) {
  const { title, isDangerous, act, onClose } = props;
  const [reason, setReason] = useState('');
  const { run, isBusy, error } = useAction(async () => {
    await act(reason.trim());
    onClose();
  });
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          run();
        }}
      >
        <label>
          Reason (stands in the audit trail)
          <input
            value={reason}
            maxLength={1000}
            required
            autoFocus
            onChange={(event) => setReason(event.target.value)}
          />
        </label>
        <ProblemNote error={error} />
        <footer>
          <button type="button" onClick={onClose}>
            Leave it
          </button>
          <button
            type="submit"
            className={isDangerous ? 'danger' : 'primary'}
            disabled={isBusy || reason.trim() === ''}
          >
            {title}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
