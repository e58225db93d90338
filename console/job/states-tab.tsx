import { useMemo, useState } from 'react';
import type { Answer } from '../api/call.ts';
import { readDefinition, statesByName } from '../graph/definition.ts';
import { StateGraph } from '../graph/state-graph.tsx';
import { type Visit, worstOf } from '../history/visits.ts';
import { StateDetails } from './state-details.tsx';
import type { History } from './use-history.ts';

/** The state machine, coloured by how its states stand, and the chosen state beside it. */
export function StatesTab(props: {
  readonly definition: string | undefined;
  /** The states as the API tells them: from the beginning, which is loaded last here. */
  readonly told: Answer<'getExecution'>['states'] | undefined;
  readonly history: History;
}) {
  const { definition, history, told } = props;
  const level = useMemo(
    () => (definition === undefined ? undefined : readDefinition(definition)),
    [definition],
  );
  const states = useMemo(() => (level === undefined ? new Map() : statesByName(level)), [level]);
  const byState = useMemo(
    () => Map.groupBy(history.visits.list, ({ state }) => state),
    [history.visits],
  );
  const [chosen, setChosen] = useState<string>();
  const shown = chosen ?? mostTelling(history.visits.list);
  const statusOf = (name: string): string => {
    const visits = byState.get(name);
    if (visits !== undefined || !history.isLoading) return worstOf(visits ?? []);
    return told?.find((state) => state.name === name)?.status ?? 'NOT_ENTERED';
  };
  if (level === undefined) {
    return (
      <p className="faint">
        {history.isLoading
          ? 'Loading …'
          : 'Step Functions has no execution of this job: it has not started yet, or it is no longer kept.'}
      </p>
    );
  }
  return (
    <div className="states">
      <StateGraph
        level={level}
        statusOf={statusOf}
        noteOf={(name) => noteOf(byState.get(name) ?? [])}
        chosen={shown}
        onChoose={setChosen}
      />
      {shown !== undefined && (
        <StateDetails
          key={shown}
          name={shown}
          state={states.get(shown)}
          visits={byState.get(shown) ?? []}
        />
      )}
    </div>
  );
}

/** What failed, else what runs, else what came last. */
function mostTelling(visits: readonly Visit[]): string | undefined {
  const inner = (wanted: readonly string[]): Visit | undefined =>
    visits.findLast(
      ({ status, type }) => wanted.includes(status) && type !== 'Map' && type !== 'Parallel',
    );
  return (inner(['FAILED']) ?? inner(['RETRYING', 'RUNNING']) ?? visits.at(-1))?.state;
}

function noteOf(visits: readonly Visit[]): string {
  const attempts = visits.reduce((sum, visit) => sum + visit.attempts.length, 0);
  if (visits.length > 1) return `×${visits.length}`;
  return attempts > 1 ? `${attempts} attempts` : '';
}
