import { useState } from 'react';
import type { Answer } from '../api/call.ts';
import { useSession } from '../api/session.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { count } from '../parts/format.ts';
import { JsonView } from '../parts/json-view.tsx';
import { Link } from '../parts/location.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { Status } from '../parts/status.tsx';
import { At } from '../parts/time.tsx';
import { useAction } from '../parts/use-action.ts';

type Effect = Answer<'listEffects'>['effects'][number];

/** Effects with how far each has come: intention, call, outcome; the held ones can be resolved. */
export function EffectTable(props: {
  readonly effects: readonly Effect[];
  readonly onDone: () => void;
  readonly showJob?: boolean;
}) {
  const { effects, onDone, showJob = false } = props;
  const [resolving, setResolving] = useState<Effect>();
  return (
    <>
      <div className="scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">Effect</th>
              <th scope="col">Provider</th>
              <th scope="col">Way</th>
              <th scope="col">Attempts</th>
              <th scope="col">Provider’s reference</th>
              <th scope="col">Answer</th>
              <th scope="col">
                <span className="hidden">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {effects.map((effect) => (
              <tr key={effect.effectId}>
                <td>
                  <code>{effect.effectKey}</code>
                  {showJob && (
                    <div>
                      <Link to={`/jobs/${effect.jobId}?tab=effects`} className="id">
                        {effect.jobId}
                      </Link>
                    </div>
                  )}
                </td>
                <td>
                  {effect.provider}
                  <div className="faint">
                    {effect.operation}, {effect.policy}
                  </div>
                </td>
                <td>
                  <Way effect={effect} />
                </td>
                <td>{count(effect.attempts)}</td>
                <td>
                  {effect.providerReference === null ? '' : <code>{effect.providerReference}</code>}
                </td>
                <td className="what">
                  {effect.lastError !== null && <div>{effect.lastError}</div>}
                  {effect.response !== null && (
                    <JsonView
                      label={`HTTP ${effect.response.status}`}
                      text={effect.response.body}
                    />
                  )}
                </td>
                <td>
                  {effect.status === 'UNKNOWN' && (
                    <button
                      type="button"
                      className="primary small"
                      onClick={() => setResolving(effect)}
                    >
                      Resolve …
                    </button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {resolving !== undefined && (
        <ResolveDialog effect={resolving} onClose={() => setResolving(undefined)} onDone={onDone} />
      )}
    </>
  );
}

/** Intention → call → outcome. */
function Way({ effect }: { readonly effect: Effect }) {
  const { status, createdAt, attempts, completedAt, updatedAt } = effect;
  const isOutcome = !['INTENDED', 'CALLING'].includes(status);
  return (
    <ol className="way">
      <li>
        intended <At at={createdAt} />
      </li>
      {(attempts > 0 || status === 'CALLING') && (
        <li>
          called
          {status === 'CALLING' && (
            <>
              , leased until <At at={effect.leaseUntil} />
            </>
          )}
        </li>
      )}
      <li>
        <Status status={status} /> {isOutcome && <At at={completedAt ?? updatedAt} />}
      </li>
    </ol>
  );
}

type Verdict = 'completed' | 'not-done' | 'abandon';
const verdicts: readonly (readonly [Verdict, string])[] = [
  ['completed', 'It was done: never call it again, the job goes on behind it'],
  ['not-done', 'It was not done: a redrive may call it'],
  ['abandon', 'Give it up: it is never called again, and a redrive fails there'],
];

function ResolveDialog(props: {
  readonly effect: Effect;
  readonly onClose: () => void;
  readonly onDone: () => void;
}) {
  const { effect, onClose, onDone } = props;
  const { call } = useSession();
  const [verdict, setVerdict] = useState<Verdict>();
  const [reference, setReference] = useState('');
  const [reason, setReason] = useState('');
  const { run, isBusy, error } = useAction(async () => {
    await call('resolveEffect', {
      path: { effectId: effect.effectId },
      body: {
        verdict,
        reason: reason.trim(),
        ...(verdict === 'completed' && reference.trim() !== ''
          ? { providerReference: reference.trim() }
          : {}),
      },
    });
    onDone();
    onClose();
  });
  return (
    <Dialog title="What became of this effect?" onClose={onClose}>
      <p>
        {effect.provider} {effect.operation} <code>{effect.effectKey}</code>: ask the provider by
        this key (<code>{`${effect.tenantId}/${effect.effectKey}`}</code> is the idempotency key it
        was sent) before you answer. Afterwards the job goes on by a redrive.
      </p>
      <fieldset>
        <legend>Verdict</legend>
        {verdicts.map(([value, text]) => (
          <label key={value} className="choice">
            <input
              type="radio"
              name="verdict"
              checked={verdict === value}
              onChange={() => setVerdict(value)}
            />
            <span>{text}</span>
          </label>
        ))}
      </fieldset>
      {verdict === 'completed' && (
        <label>
          Provider’s reference (optional)
          <input
            value={reference}
            maxLength={500}
            onChange={(event) => setReference(event.target.value)}
          />
        </label>
      )}
      <label>
        Reason (stands in the audit trail)
        <input
          value={reason}
          maxLength={1000}
          required
          onChange={(event) => setReason(event.target.value)}
        />
      </label>
      <ProblemNote error={error} />
      <footer>
        <button type="button" onClick={onClose}>
          Leave it
        </button>
        <button
          type="button"
          className="primary"
          disabled={isBusy || verdict === undefined || reason.trim() === ''}
          onClick={() => run()}
        >
          Resolve
        </button>
      </footer>
    </Dialog>
  );
}
