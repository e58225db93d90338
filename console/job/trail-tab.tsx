import type { Answer } from '../api/call.ts';
import { count, duration } from '../parts/format.ts';
import { Status } from '../parts/status.tsx';
import { At } from '../parts/time.tsx';
import type { History } from './use-history.ts';
import type { Job } from './use-job.ts';

type Trail = Answer<'getTrail'>;

/** The way of the job, hop by hop, and who did what to it. */
export function TrailTab(props: {
  readonly job: Job;
  readonly trail: Trail | undefined;
  readonly execution: Answer<'getExecution'> | undefined;
  readonly history: History;
}) {
  const { job, trail, execution, history } = props;
  if (trail === undefined) return <p className="loading">Loading …</p>;
  const hops = hopsOf(job, trail, execution, history);
  return (
    <>
      <h2>Way of the job</h2>
      <div className="scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">When</th>
              <th scope="col">After</th>
              <th scope="col">Hop</th>
              <th scope="col">What</th>
            </tr>
          </thead>
          <tbody>
            {hops.map(({ at, hop, what }, index) => (
              <tr key={`${hop} ${at} ${index}`}>
                <td className="nowrap">
                  <At at={at} />
                </td>
                <td className="nowrap faint">
                  {index === 0
                    ? ''
                    : `+${duration(Date.parse(at) - Date.parse(hops[index - 1]?.at ?? at))}`}
                </td>
                <td className="nowrap">{hop}</td>
                <td>{what}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <h2>Audit trail</h2>
      <div className="scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">When</th>
              <th scope="col">Run</th>
              <th scope="col">Who</th>
              <th scope="col">From</th>
              <th scope="col">To</th>
              <th scope="col">Why</th>
            </tr>
          </thead>
          <tbody>
            {trail.events.map((event) => (
              <tr key={event.eventNo}>
                <td className="nowrap">
                  <At at={event.at} />
                </td>
                <td>{count(event.run)}</td>
                <td>{event.actor}</td>
                <td>{event.from === null ? '' : <Status status={event.from} />}</td>
                <td>
                  <Status status={event.to} />
                </td>
                <td>{event.reason}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

type Hop = { readonly at: string; readonly hop: string; readonly what: string };

/** Request → outbox → message → dispatcher → execution → redrives, in the order of their times. */
function hopsOf(
  job: Job,
  trail: Trail,
  execution: Answer<'getExecution'> | undefined,
  history: History,
): Hop[] {
  const hops: (Hop | { at: null; hop: string; what: string })[] = [
    { at: job.createdAt, hop: 'request', what: 'accepted with 202' },
    ...trail.messages.flatMap((message) => [
      {
        at: message.createdAt,
        hop: 'outbox',
        what: `${message.messageType} for ${message.destination}`,
      },
      {
        at: message.publishedAt,
        hop: 'queue',
        what: `${message.messageType} known to be sent${message.publishAttempts > 1 ? `, attempt ${count(message.publishAttempts)}` : ''}`,
      },
      {
        at: message.receivedAt,
        hop: 'dispatcher',
        what: `${message.messageType} received ${times(message.deliveries ?? 1)}`,
      },
      {
        at: message.handledAt,
        hop: 'dispatcher',
        what: `${message.inboxStatus ?? ''} ${message.outcome ?? ''}`.trim(),
      },
    ]),
    ...trail.events
      .filter(({ from, to }) => from !== null && from !== to)
      .map((event) => ({
        at: event.at,
        hop: 'job',
        what: `${event.from} → ${event.to}: ${event.reason}`,
      })),
    ...executionHops(execution, history),
  ];
  return hops
    .filter((hop): hop is Hop => hop.at !== null)
    .sort((left, right) => Date.parse(left.at) - Date.parse(right.at));
}

const times = (many: number): string => (many === 1 ? 'once' : `${count(many)} times`);

const turningPoint = /^Execution(Started|Redriven|Succeeded|Failed|Aborted|TimedOut)$/;

/** Each start, redrive and end of the execution, as its history has them; its beginning is loaded last. */
function executionHops(
  execution: Answer<'getExecution'> | undefined,
  { events, isLoading }: History,
): readonly (Hop | { at: null; hop: string; what: string })[] {
  const name = execution?.execution.name ?? '';
  let redrives = 0;
  const told = events
    .filter(({ type }) => turningPoint.test(type))
    .map(({ type, at }) => {
      if (type === 'ExecutionRedriven') redrives += 1;
      const what =
        type === 'ExecutionStarted'
          ? `${name} started`
          : type === 'ExecutionRedriven'
            ? `redriven, redrive ${count(redrives)}`
            : type.slice('Execution'.length).toUpperCase();
      return { at: new Date(at).toISOString(), hop: 'execution', what };
    });
  const start = execution?.execution.startedAt ?? null;
  return isLoading ? [{ at: start, hop: 'execution', what: `${name} started` }, ...told] : told;
}
