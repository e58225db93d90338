import { useState } from 'react';
import { useAnswer } from '../api/use-answer.ts';
import { Link } from '../parts/location.tsx';
import { Pager } from '../parts/pager.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { At } from '../parts/time.tsx';

/** Who did what, when and why, newest first. */
export function AuditTab() {
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const cursor = cursors.at(-1);
  const { body, error } = useAnswer('getAudit', { query: { limit: 100, cursor } });
  return (
    <>
      <ProblemNote error={error} />
      {body === undefined && !error && <p className="loading">Loading …</p>}
      {body !== undefined && (
        <div className="scroll">
          <table>
            <thead>
              <tr>
                <th scope="col">When</th>
                <th scope="col">Who</th>
                <th scope="col">What</th>
                <th scope="col">To what</th>
                <th scope="col">Why</th>
                <th scope="col">Result</th>
              </tr>
            </thead>
            <tbody>
              {body.entries.map((entry) => (
                <tr key={entry.id}>
                  <td className="nowrap">
                    <At at={entry.at} />
                  </td>
                  <td>{entry.actor}</td>
                  <td className="nowrap">{entry.action}</td>
                  <td>
                    {entry.jobId === null ? (
                      entry.target
                    ) : (
                      <Link to={`/jobs/${entry.jobId}`} className="id">
                        {entry.target}
                      </Link>
                    )}
                  </td>
                  <td className="what">{entry.reason}</td>
                  <td className="what">{entry.result}</td>
                </tr>
              ))}
            </tbody>
          </table>
          {body.entries.length === 0 && <p className="faint">No operator has done anything yet.</p>}
        </div>
      )}
      <Pager passed={cursors} next={body?.nextCursor} onChange={setCursors} />
    </>
  );
}
