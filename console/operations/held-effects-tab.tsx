import { useState } from 'react';
import { useAnswer } from '../api/use-answer.ts';
import { Link } from '../parts/location.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { EffectTable } from './effect-table.tsx';

const statuses = ['UNKNOWN', 'CALLING', 'INTENDED', 'REJECTED', 'ABANDONED'];

export function HeldEffectsTab() {
  const [status, setStatus] = useState('UNKNOWN');
  const { body, error, reload } = useAnswer(
    'listOpenEffects',
    { query: { status, limit: 200 } },
    5_000,
  );
  return (
    <>
      <div className="toolbar">
        <label className="inline">
          Status
          <select value={status} onChange={(event) => setStatus(event.target.value)}>
            {statuses.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <Link to="/runbooks/held-effects.md">Runbook</Link>
      </div>
      <ProblemNote error={error} />
      {body === undefined && !error && <p className="loading">Loading …</p>}
      {body !== undefined &&
        (body.effects.length === 0 ? (
          <p className="calm">
            {status === 'UNKNOWN' ? 'No effect is held.' : `No effect is ${status}.`}
          </p>
        ) : (
          <EffectTable effects={body.effects} onDone={reload} showJob />
        ))}
    </>
  );
}
