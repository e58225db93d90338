import { type ReactNode, useState } from 'react';
import type { GraphState } from '../graph/definition.ts';
import { failureMessage } from '../history/failure-message.ts';
import { retryWindow } from '../history/retry-window.ts';
import type { Attempt, Visit } from '../history/visits.ts';
import { clockTime, count, duration } from '../parts/format.ts';
import { JsonView } from '../parts/json-view.tsx';
import { Status } from '../parts/status.tsx';
import { useNow } from '../parts/use-now.ts';

/** One state: what went in, what came out, and each attempt with its error and the pause after it. */
export function StateDetails(props: {
  readonly name: string;
  readonly state: GraphState | undefined;
  readonly visits: readonly Visit[];
  /** The distributed Map whose children pass it. */
  readonly inChildrenOf?: string | undefined;
  readonly more?:
    | ((state: GraphState | undefined, visit: Visit | undefined) => ReactNode)
    | undefined;
}) {
  const { name, state, visits, inChildrenOf, more } = props;
  const [chosen, setChosen] = useState<number>();
  const visit = visits.find(({ id }) => id === chosen) ?? mostTelling(visits);
  return (
    <section className="details" aria-label={`State ${name}`}>
      <h2>
        {name} <span className="faint">{state?.type ?? visit?.type}</span>{' '}
        {visit !== undefined && <Status status={visit.status} />}
      </h2>
      {state?.comment !== undefined && <p className="faint">{state.comment}</p>}
      {visits.length > 1 && <VisitChoice visits={visits} chosen={visit} onChoose={setChosen} />}
      {visit === undefined ? (
        <p className="faint">
          {inChildrenOf === undefined
            ? 'Not entered.'
            : `It is passed in the children of ${inChildrenOf}: choose that state to see them.`}
        </p>
      ) : (
        <>
          <p className="faint">
            entered {clockTime(new Date(visit.enteredAt))}
            {visit.exitedAt !== undefined &&
              `, left after ${duration(visit.exitedAt - visit.enteredAt)}`}
          </p>
          {visit.error !== undefined && <ErrorNote error={visit.error} cause={visit.cause} />}
          <Attempts visit={visit} state={state} />
          {more?.(state, visit)}
          <JsonView label="Input" text={visit.input} />
          <JsonView label="Task input" text={visit.attempts.at(-1)?.parameters} />
          <JsonView label="Task result" text={visit.attempts.at(-1)?.output} />
          <JsonView label="Output" text={visit.output} />
        </>
      )}
    </section>
  );
}

const mostTelling = (visits: readonly Visit[]): Visit | undefined =>
  visits.findLast(({ status }) => status === 'FAILED') ??
  visits.findLast(({ status }) => status === 'RUNNING' || status === 'RETRYING') ??
  visits.at(-1);

/** More in one list is of no use to anybody; the event table has them all. */
const offered = 500;

function VisitChoice(props: {
  readonly visits: readonly Visit[];
  readonly chosen: Visit | undefined;
  readonly onChoose: (id: number) => void;
}) {
  const { visits, chosen, onChoose } = props;
  return (
    <label className="inline">
      Passage
      <select value={chosen?.id} onChange={(event) => onChoose(Number(event.target.value))}>
        {visits.slice(-offered).map((visit, index) => (
          <option key={visit.id} value={visit.id}>
            {count(Math.max(0, visits.length - offered) + index + 1)} of {count(visits.length)}:{' '}
            {visit.status}, {clockTime(new Date(visit.enteredAt))}
          </option>
        ))}
      </select>
    </label>
  );
}

function ErrorNote({
  error,
  cause,
}: {
  readonly error: string;
  readonly cause: string | undefined;
}) {
  return (
    <div className="note bad">
      <strong>{error}</strong> {failureMessage(cause)}
      {cause !== undefined && <JsonView label="Cause" text={cause} />}
    </div>
  );
}

function Attempts({
  visit,
  state,
}: {
  readonly visit: Visit;
  readonly state: GraphState | undefined;
}) {
  const { attempts, status } = visit;
  if (attempts.length === 0) return null;
  return (
    <div className="scroll">
      <table className="attempts">
        <thead>
          <tr>
            <th scope="col">Attempt</th>
            <th scope="col">Scheduled</th>
            <th scope="col">Took</th>
            <th scope="col">Outcome</th>
            <th scope="col">Then</th>
          </tr>
        </thead>
        <tbody>
          {attempts.map((attempt, index) => (
            <tr key={attempt.scheduledAt + index}>
              <td>{count(index + 1)}</td>
              <td className="nowrap">{clockTime(new Date(attempt.scheduledAt))}</td>
              <td className="nowrap">
                {attempt.endedAt === undefined
                  ? ''
                  : duration(attempt.endedAt - attempt.scheduledAt)}
              </td>
              <td className="what">
                <Status status={attempt.outcome} />
                {attempt.error !== undefined && (
                  <div className="faint">
                    {attempt.error} {failureMessage(attempt.cause)}
                  </div>
                )}
              </td>
              <td className="nowrap">
                {then(attempt, attempts[index + 1])}
                {attempts[index + 1] === undefined && status === 'RETRYING' && (
                  <NextTry attempt={attempt} state={state} failures={index + 1} />
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const then = ({ endedAt }: Attempt, next: Attempt | undefined): string =>
  next === undefined || endedAt === undefined
    ? ''
    : `${next.isRedriven ? 'redriven' : 'again'} after ${duration(next.scheduledAt - endedAt)}`;

function NextTry(props: {
  readonly attempt: Attempt;
  readonly state: GraphState | undefined;
  readonly failures: number;
}) {
  const now = useNow(500);
  const { attempt, state, failures } = props;
  const window = retryWindow(state?.raw, attempt.error ?? '', failures);
  if (window === undefined || attempt.endedAt === undefined) return null;
  const left = attempt.endedAt + window.latestMs - now;
  return (
    <>
      next try {window.jitter ? 'within' : 'in'} {duration(Math.max(0, left))},{' '}
      {count(window.attemptsLeft)} left
    </>
  );
}
