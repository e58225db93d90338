import { useState } from 'react';
import type { Answer } from '../api/call.ts';
import { useSession } from '../api/session.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { Status } from '../parts/status.tsx';
import { useAction } from '../parts/use-action.ts';

type Effect = Pick<
  Answer<'listEffects'>['effects'][number],
  'effectKey' | 'status' | 'provider' | 'operation'
>;

const irrevocable = new Set(['COMPLETED', 'CALLING', 'UNKNOWN']);

/** Cancels, and says what that does not undo: before where it is known, else after. */
export function CancelDialog(props: {
  readonly jobId: string;
  readonly effects: readonly Effect[] | undefined;
  readonly onClose: () => void;
  readonly onDone: () => void;
}) {
  const { jobId, effects, onClose, onDone } = props;
  const { call } = useSession();
  const [reason, setReason] = useState('');
  const [notUndone, setNotUndone] = useState<readonly Effect[]>();
  const { run, isBusy, error } = useAction(async () => {
    const { body } = await call('cancelJob', {
      path: { jobId },
      body: reason.trim() === '' ? {} : { reason: reason.trim() },
    });
    onDone();
    if (body.notUndone.length === 0) onClose();
    else setNotUndone(body.notUndone);
  });
  const done = notUndone ?? effects?.filter(({ status }) => irrevocable.has(status));
  return (
    <Dialog title={notUndone === undefined ? 'Cancel this job' : 'Cancelled'} onClose={onClose}>
      {notUndone === undefined && (
        <p>The job does nothing more: its execution is stopped. It can be redriven later.</p>
      )}
      {done !== undefined && done.length > 0 && (
        <div className="note warn">
          <strong>What was done elsewhere stays done:</strong>
          <ul>
            {done.map(({ effectKey, provider, operation, status }) => (
              <li key={effectKey}>
                {provider} {operation} <code>{effectKey}</code> <Status status={status} />
              </li>
            ))}
          </ul>
        </div>
      )}
      {done?.length === 0 && <p>It has done nothing to other systems so far.</p>}
      {notUndone === undefined ? (
        <>
          <label>
            Reason (stands in the audit trail)
            <input
              value={reason}
              maxLength={1000}
              autoFocus
              onChange={(event) => setReason(event.target.value)}
            />
          </label>
          <ProblemNote error={error} />
          <footer>
            <button type="button" onClick={onClose}>
              Leave it
            </button>
            <button type="button" className="danger" disabled={isBusy} onClick={() => run()}>
              Cancel the job
            </button>
          </footer>
        </>
      ) : (
        <footer>
          <button type="button" className="primary" onClick={onClose}>
            Close
          </button>
        </footer>
      )}
    </Dialog>
  );
}
