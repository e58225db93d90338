import { useMemo } from 'react';
import { readDefinition } from '../graph/definition.ts';
import { setQuery, usePlace } from '../parts/location.tsx';
import { LevelView } from './level-view.tsx';
import { MapRunPanel } from './map-run-panel.tsx';
import type { History } from './use-history.ts';

/** The state machine, coloured by how its states stand, and the chosen state beside it. The choice stands in the address. */
export function StatesTab(props: {
  readonly jobId: string;
  readonly definition: string | undefined;
  readonly history: History;
}) {
  const { jobId, definition, history } = props;
  const chosen = usePlace().query.get('state') ?? undefined;
  const level = useMemo(
    () => (definition === undefined ? undefined : readDefinition(definition)),
    [definition],
  );
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
    <>
      {history.isLoading && (
        <p className="faint" role="status">
          Older events are being loaded: what was passed before them has no colour yet.
        </p>
      )}
      <LevelView
        level={level}
        history={history}
        chosen={chosen}
        onChoose={(state) => setQuery({ state, child: undefined })}
        more={(state, visit) =>
          visit?.mapRunArn === undefined ? null : (
            <MapRunPanel
              key={visit.mapRunArn}
              jobId={jobId}
              mapRunArn={visit.mapRunArn}
              level={state?.levels[0]}
              version={`${visit.status} ${history.total}`}
            />
          )
        }
      />
    </>
  );
}
