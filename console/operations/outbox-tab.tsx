import { useAnswer } from '../api/use-answer.ts';
import { count, duration } from '../parts/format.ts';
import { Link } from '../parts/location.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { Ago } from '../parts/time.tsx';

export function OutboxTab() {
  const { body, error } = useAnswer('getOutbox', { query: { limit: 200 } }, 5_000);
  return (
    <>
      <div className="toolbar">
        <Link to="/runbooks/outbox-lag.md">Runbook</Link>
      </div>
      <ProblemNote error={error} />
      {body === undefined && !error && <p className="loading">Loading …</p>}
      {body !== undefined && (
        <p>
          {count(body.due)} due and not sent
          {body.due > 0 && `, the oldest for ${duration(body.oldestSeconds * 1000)}`}.
        </p>
      )}
      {body !== undefined && body.messages.length > 0 && (
        <div className="scroll">
          <table>
            <thead>
              <tr>
                <th scope="col">Message</th>
                <th scope="col">To</th>
                <th scope="col">Job</th>
                <th scope="col">Attempts</th>
                <th scope="col">Next attempt</th>
                <th scope="col">Last error</th>
              </tr>
            </thead>
            <tbody>
              {body.messages.map((message) => (
                <tr key={message.messageId}>
                  <td>{message.messageType}</td>
                  <td>{message.destination}</td>
                  <td>
                    {message.jobId !== null && (
                      <Link to={`/jobs/${message.jobId}?tab=trail`} className="id">
                        {message.jobId}
                      </Link>
                    )}
                  </td>
                  <td>{count(message.attempts)}</td>
                  <td className="nowrap">
                    <Ago at={message.nextAttemptAt} />
                  </td>
                  <td className="what">{message.lastError}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}
