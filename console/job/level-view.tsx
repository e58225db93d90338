import { type ReactNode, useMemo } from 'react';
import { type GraphState, type Level, statesByName } from '../graph/definition.ts';
import { StateGraph } from '../graph/state-graph.tsx';
import { type Visit, worstOf } from '../history/visits.ts';
import { count } from '../parts/format.ts';
import { StateDetails } from './state-details.tsx';
import type { History } from './use-history.ts';

/** The states of an execution, or of a child of a Map Run, as a graph with the chosen one beside it. */
export function LevelView(props: {
  readonly level: Level;
  readonly history: Pick<History, 'visits'>;
  readonly chosen: string | undefined;
  readonly onChoose: (name: string) => void;
  /** What else there is to show of a state. */
  readonly more?: (state: GraphState | undefined, visit: Visit | undefined) => ReactNode;
}) {
  const { level, history, onChoose, more } = props;
  const states = useMemo(() => statesByName(level), [level]);
  const byState = useMemo(
    () => Map.groupBy(history.visits.list, ({ state }) => state),
    [history.visits],
  );
  const chosen =
    props.chosen !== undefined && states.has(props.chosen)
      ? props.chosen
      : mostTelling(history.visits.list);
  const visits = chosen === undefined ? [] : (byState.get(chosen) ?? []);
  return (
    <div className="states">
      <StateGraph
        level={level}
        statusOf={(name) => worstOf(byState.get(name) ?? [])}
        noteOf={(name) =>
          distributedAround(level, name) === undefined
            ? noteOf(byState.get(name) ?? [])
            : 'in children'
        }
        chosen={chosen}
        onChoose={onChoose}
      />
      {chosen !== undefined && (
        <StateDetails
          key={chosen}
          name={chosen}
          state={states.get(chosen)}
          visits={visits}
          inChildrenOf={distributedAround(level, chosen)}
          more={more}
        />
      )}
    </div>
  );
}

/** What failed, else what runs, else what came last. */
function mostTelling(visits: readonly Visit[]): string | undefined {
  const inner = (wanted: readonly string[]): Visit | undefined =>
    visits.findLast(
      ({ status, type, mapRunArn }) =>
        wanted.includes(status) &&
        (mapRunArn !== undefined || (type !== 'Map' && type !== 'Parallel')),
    );
  return (inner(['FAILED']) ?? inner(['RETRYING', 'RUNNING']) ?? visits.at(-1))?.state;
}

function noteOf(visits: readonly Visit[]): string {
  const attempts = visits.reduce((sum, visit) => sum + visit.attempts.length, 0);
  if (visits.length > 1) return `×${count(visits.length)}`;
  return attempts > 1 ? `${count(attempts)} attempts` : '';
}

/** The distributed Map that a state stands in: it is passed in its children, not in this execution. */
function distributedAround(level: Level, name: string): string | undefined {
  for (const state of level.states) {
    if (state.levels.length === 0) continue;
    const isInside = state.levels.some((inner) => statesByName(inner).has(name));
    if (isInside && state.isDistributed) return state.name;
    if (isInside) {
      return state.levels
        .map((inner) => distributedAround(inner, name))
        .find((found) => found !== undefined);
    }
  }
  return undefined;
}
