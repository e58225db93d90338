import type { Answer } from '../api/call.ts';
import { EffectTable } from '../operations/effect-table.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';

type Effects = Answer<'listEffects'>['effects'];

/** What the job did to other systems: intention, call, outcome. */
export function EffectsTab(props: {
  readonly effects: Effects | undefined;
  readonly error: unknown;
  readonly onDone: () => void;
}) {
  const { effects, error, onDone } = props;
  if (effects === undefined)
    return error ? <ProblemNote error={error} /> : <p className="loading">Loading …</p>;
  if (effects.length === 0) return <p className="faint">It has called no other system.</p>;
  return <EffectTable effects={effects} onDone={onDone} />;
}
