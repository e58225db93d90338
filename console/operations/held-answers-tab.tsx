import { useState } from 'react';
import type { Answer } from '../api/call.ts';
import { useSession } from '../api/session.tsx';
import { useAnswer } from '../api/use-answer.ts';
import { ReasonDialog } from './message-list.tsx';
import { JsonView } from '../parts/json-view.tsx';
import { Link } from '../parts/location.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { Status } from '../parts/status.tsx';
import { At } from '../parts/time.tsx';

type HeldAnswer = Answer<'listHeldAnswers'>['callbacks'][number];

/** Answers of providers that no job will read: money may have moved. */
export function HeldAnswersTab() {
  const { call } = useSession();
  const { body, error, reload } = useAnswer('listHeldAnswers', {}, 5_000);
  const [resolving, setResolving] = useState<HeldAnswer>();
  return (
    <>
      <div className="toolbar">
        <Link to="/runbooks/held-answers.md">Runbook</Link>
      </div>
      <ProblemNote error={error} />
      {body === undefined && !error && <p className="loading">Loading …</p>}
      {body?.callbacks.length === 0 && <p className="calm">No answer is held.</p>}
      {body !== undefined && body.callbacks.length > 0 && (
        <div className="scroll">
          <table>
            <thead>
              <tr>
                <th scope="col">Held</th>
                <th scope="col">Job</th>
                <th scope="col">Provider</th>
                <th scope="col">Why</th>
                <th scope="col">Answer</th>
                <th scope="col">
                  <span className="hidden">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {body.callbacks.map((held) => (
                <tr key={held.callbackId}>
                  <td className="nowrap">
                    <At at={held.heldAt} />
                  </td>
                  <td>
                    <Link to={`/jobs/${held.jobId}`} className="id">
                      {held.jobId}
                    </Link>{' '}
                    <Status status={held.jobStatus} />
                  </td>
                  <td>
                    {held.provider}
                    <div className="faint">
                      <code>{`${held.tenantId}/${held.effectKey}`}</code>
                    </div>
                  </td>
                  <td className="what">
                    {held.heldReason}
                    {held.settledAs !== null && (
                      <div className="faint">the job went on with: {held.settledAs}</div>
                    )}
                  </td>
                  <td className="what">
                    <JsonView label="Answer" value={held.answer} />
                    {held.contradiction !== null && (
                      <JsonView label="and later" value={held.contradiction} />
                    )}
                  </td>
                  <td>
                    <button
                      type="button"
                      className="primary small"
                      onClick={() => setResolving(held)}
                    >
                      Resolve …
                    </button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {resolving !== undefined && (
        <ReasonDialog
          title="It has been dealt with"
          isDangerous={false}
          onClose={() => setResolving(undefined)}
          act={async (reason) => {
            const { callbackId } = resolving;
            await call('resolveHeldAnswer', { path: { callbackId }, body: { reason } });
            reload();
          }}
        />
      )}
    </>
  );
}
