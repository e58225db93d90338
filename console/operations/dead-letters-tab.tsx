import { useState } from 'react';
import { useSession } from '../api/session.tsx';
import { useAnswer } from '../api/use-answer.ts';
import { Link } from '../parts/location.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { type MessageAction, MessageList } from './message-list.tsx';

const queues = ['job-requests', 'execution-events', 'search-projection', 'notifications'] as const;

export function DeadLettersTab() {
  const { call } = useSession();
  const [queue, setQueue] = useState<(typeof queues)[number]>('job-requests');
  const { body, error, reload } = useAnswer(
    'listDeadLetters',
    { query: { queue, limit: 100 } },
    10_000,
  );
  const act: MessageAction = async (what, ids, reason) => {
    const name = what === 'redrive' ? 'redriveDeadLetters' : 'discardDeadLetters';
    const chosen = ids === undefined ? { all: true } : { messageIds: ids };
    const { body: done } = await call(name, { body: { queue, reason, ...chosen } });
    return { done: done.messageIds.length, more: done.more };
  };
  return (
    <>
      <div className="toolbar">
        <label className="inline">
          Queue
          <select
            value={queue}
            onChange={(event) =>
              setQueue(queues.find((name) => name === event.target.value) ?? queue)
            }
          >
            {queues.map((name) => (
              <option key={name} value={name}>
                {name}-dlq
              </option>
            ))}
          </select>
        </label>
        <Link to="/runbooks/dead-letters-and-quarantine.md">Runbook</Link>
      </div>
      <ProblemNote error={error} />
      {body === undefined && !error && (
        <p className="loading">
          Looking: SQS has no peeking, the messages are received and given back …
        </p>
      )}
      {body !== undefined &&
        (body.messages.length === 0 ? (
          <p className="calm">No dead letters.</p>
        ) : (
          <MessageList
            messages={body.messages.map(({ messageId, ...message }) => ({
              id: messageId,
              ...message,
            }))}
            act={act}
            onDone={reload}
          />
        ))}
    </>
  );
}
