import { useSession } from '../api/session.tsx';
import { useAnswer } from '../api/use-answer.ts';
import { Link } from '../parts/location.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { type MessageAction, MessageList } from './message-list.tsx';

export function QuarantineTab() {
  const { call } = useSession();
  const { body, error, reload } = useAnswer('listQuarantine', { query: { limit: 100 } }, 5_000);
  const act: MessageAction = async (what, ids, reason) => {
    const name = what === 'redrive' ? 'redriveQuarantined' : 'discardQuarantined';
    const chosen = ids === undefined ? { all: true } : { ids };
    const { body: done } = await call(name, { body: { reason, ...chosen } });
    return { done: done.ids.length, more: done.more };
  };
  return (
    <>
      <div className="toolbar">
        <Link to="/runbooks/dead-letters-and-quarantine.md">Runbook</Link>
      </div>
      <ProblemNote error={error} />
      {body === undefined && !error && <p className="loading">Loading …</p>}
      {body !== undefined &&
        (body.messages.length === 0 ? (
          <p className="calm">Nothing in quarantine.</p>
        ) : (
          <>
            <MessageList
              messages={body.messages.map(({ quarantineId, ...message }) => ({
                id: quarantineId,
                ...message,
              }))}
              act={act}
              onDone={reload}
            />
            {body.nextCursor !== null && (
              <p className="faint">The newest 100 are shown; there are more.</p>
            )}
          </>
        ))}
    </>
  );
}
