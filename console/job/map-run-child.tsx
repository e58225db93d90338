import { useMemo, useState } from 'react';
import { useAnswer } from '../api/use-answer.ts';
import type { Level } from '../graph/definition.ts';
import { readEvent } from '../history/event.ts';
import { readVisits } from '../history/visits.ts';
import { JsonView } from '../parts/json-view.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { Status } from '../parts/status.tsx';
import { EventsTab } from './events-tab.tsx';
import { LevelView } from './level-view.tsx';

/** One child of a Map Run: its states with their attempts, its data and its own events. */
export function MapRunChild(props: {
  readonly path: Readonly<Record<string, string>>;
  readonly arn: string;
  readonly level: Level | undefined;
  readonly version: string;
}) {
  const { path, arn, level, version } = props;
  const { body, error } = useAnswer('getMapRunChild', { path, query: { arn } }, undefined, version);
  const [chosen, setChosen] = useState<string>();
  const history = useMemo(() => {
    if (body?.events == null) return undefined;
    const events = body.events.map(readEvent);
    return {
      events,
      total: events.at(-1)?.id ?? 0,
      isLoading: false,
      executionStatus: body.status,
      visits: readVisits(events, !/^(RUNNING|PENDING_REDRIVE)$/.test(body.status)),
      error: undefined,
    };
  }, [body]);
  if (body === undefined)
    return error ? <ProblemNote error={error} /> : <p className="loading">Loading …</p>;
  return (
    <section className="child" aria-label={`Child ${body.name}`}>
      <h3>
        <Status status={body.status} /> <code>{body.name}</code>
      </h3>
      {body.error !== null && history === undefined && (
        <div className="note bad">
          <strong>{body.error}</strong>
          <JsonView label="Cause" text={body.cause ?? undefined} />
        </div>
      )}
      {history === undefined ? (
        <>
          <p className="faint">
            An Express execution: Step Functions keeps no events of it, and a redrive starts it
            anew.
          </p>
          <JsonView label="Input" text={body.input ?? undefined} />
          <JsonView label="Output" text={body.output ?? undefined} />
        </>
      ) : (
        <>
          {level !== undefined && (
            <LevelView level={level} history={history} chosen={chosen} onChoose={setChosen} />
          )}
          <EventsTab history={history} />
        </>
      )}
    </section>
  );
}
