import type { Answer } from '../api/call.ts';
import { useAnswer } from '../api/use-answer.ts';
import { count, duration, rate } from '../parts/format.ts';
import { Link, setQuery, usePlace } from '../parts/location.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { Status } from '../parts/status.tsx';
import { ArrowsChart, FailuresChart } from './charts.tsx';

type Overview = Answer<'getOverview'>;

const ranges = ['1', '6', '24', '168'];

/** What needs a person first, then how everything stands. */
export function OverviewPage() {
  const hours = usePlace().query.get('hours') ?? '24';
  const overview = useAnswer('getOverview', { query: { hours } }, 5_000);
  const doctor = useAnswer('getDoctor', {}, 15_000);
  return (
    <>
      <div className="title">
        <h1>Overview</h1>
        <label className="inline">
          Range
          <select value={hours} onChange={(event) => setQuery({ hours: event.target.value })}>
            {ranges.map((range) => (
              <option key={range} value={range}>
                {range === '168' ? '7 days' : range === '1' ? '1 hour' : `${range} hours`}
              </option>
            ))}
          </select>
        </label>
      </div>
      <ProblemNote error={overview.error ?? doctor.error} />
      <NeedsAPerson overview={overview.body} doctor={doctor.body} />
      {overview.body === undefined ? (
        !overview.error && <p className="loading">Loading …</p>
      ) : (
        <Figures overview={overview.body} hours={Number(hours)} />
      )}
    </>
  );
}

type Need = { id: string; what: string; to: string; action: string; runbook: string };

/** Questions of the doctor whose answers are rows of their own here, with a page where something is done about it. */
const askedAlready = new Set(['HeldEffects', 'HeldAnswers', 'poison', 'JobsWithoutOwner']);

function NeedsAPerson(props: {
  readonly overview: Overview | undefined;
  readonly doctor: Answer<'getDoctor'> | undefined;
}) {
  const { overview, doctor } = props;
  if (overview === undefined) return null;
  const needs: Need[] = [
    waiting(
      overview.heldEffects,
      'effect whose outcome is unknown',
      'effects whose outcome is unknown',
      '/operations/effects',
      'Resolve',
      'held-effects.md',
    ),
    waiting(
      overview.heldAnswers,
      'answer of a provider that no job will read',
      'answers of providers that no job will read',
      '/operations/answers',
      'Look',
      'held-answers.md',
    ),
    waiting(overview.deadLetters, 'dead letter', 'dead letters', '/operations/dlq', 'Look', poison),
    waiting(
      overview.quarantined,
      'message in quarantine',
      'messages in quarantine',
      '/operations/quarantine',
      'Look',
      poison,
    ),
    waiting(
      overview.ownerless,
      'job without owner',
      'jobs without owner',
      '/operations/stuck',
      'Look',
      'stuck-jobs.md',
    ),
  ].filter((need) => need !== undefined);
  const findings =
    doctor?.findings.filter(({ id, normal }) => normal !== true && !askedAlready.has(id)) ?? [];
  if (needs.length === 0 && findings.length === 0) {
    return (
      <section className="card" aria-label="What needs a person">
        <p className="calm">
          <span className="status good">✓</span> Nothing needs a person
          {doctor === undefined
            ? ''
            : `: ${count(doctor.findings.length)} questions asked, all answers normal`}
          .
        </p>
      </section>
    );
  }
  return (
    <section className="card alert" aria-labelledby="needs">
      <h2 id="needs">Needs a person</h2>
      <ul className="needs">
        {needs.map(({ id, what, to, action, runbook }) => (
          <li key={id}>
            <strong>{what}</strong>
            <span className="nowrap">
              <Link to={to}>{action}</Link> · <Link to={`/runbooks/${runbook}`}>Runbook</Link>
            </span>
          </li>
        ))}
        {findings.map(({ id, question, answer, action, runbook }) => (
          <li key={id}>
            <span>
              <strong>{question}</strong> {answer}
              {action !== '' && <span className="faint"> {action}</span>}
            </span>
            <Link to={`/runbooks/${runbook}`}>Runbook</Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

const poison = 'dead-letters-and-quarantine.md';

function waiting(
  value: number,
  one: string,
  many: string,
  to: string,
  action: string,
  runbook: string,
): Need | undefined {
  if (value === 0) return undefined;
  return { id: to, what: `${count(value)} ${value === 1 ? one : many}`, to, action, runbook };
}

function Figures({ overview, hours }: { readonly overview: Overview; readonly hours: number }) {
  const { rates, backlog } = overview;
  return (
    <>
      <dl className="figures">
        <Figure name="accepted" value={rate(rates.acceptedPerSecond)} note="over 5 minutes" />
        <Figure name="ended" value={rate(rates.endedPerSecond)} note="over 5 minutes" />
        <Figure
          name="backlog"
          value={count(backlog.jobRequests)}
          note={
            backlog.jobRequestsOldestSeconds === null
              ? 'nothing waits'
              : `oldest unreceived for ${duration(backlog.jobRequestsOldestSeconds * 1000)}`
          }
        />
        <Figure
          name="outbox"
          value={count(backlog.outbox)}
          note={
            backlog.outbox === 0
              ? 'nothing due'
              : `oldest due for ${duration(backlog.outboxOldestSeconds * 1000)}`
          }
        />
        <Figure name="dead letters" value={count(overview.deadLetters)} to="/operations/dlq" />
        <Figure name="quarantine" value={count(overview.quarantined)} to="/operations/quarantine" />
        <Figure name="held effects" value={count(overview.heldEffects)} to="/operations/effects" />
        <Figure name="held answers" value={count(overview.heldAnswers)} to="/operations/answers" />
        <Figure name="without owner" value={count(overview.ownerless)} to="/operations/stuck" />
      </dl>
      <div className="columns">
        <section className="card" aria-labelledby="over-time">
          <h2 id="over-time">Jobs over time</h2>
          <ArrowsChart arrows={overview.arrows} hours={hours} />
        </section>
        <section className="card" aria-labelledby="failures">
          <h2 id="failures">Failures by code</h2>
          <FailuresChart arrows={overview.arrows} hours={hours} />
        </section>
      </div>
      <section className="card" aria-labelledby="by-type">
        <h2 id="by-type">Jobs by type and status</h2>
        <JobTable jobs={overview.jobs} />
      </section>
    </>
  );
}

function Figure(props: {
  readonly name: string;
  readonly value: string;
  readonly note?: string;
  readonly to?: string;
}) {
  const { name, value, note, to } = props;
  return (
    <div className={value !== '0' && to !== undefined ? 'figure hot' : 'figure'}>
      <dt>{to === undefined ? name : <Link to={to}>{name}</Link>}</dt>
      <dd>
        {value}
        {note !== undefined && <span className="faint">{note}</span>}
      </dd>
    </div>
  );
}

const statuses = ['PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELLED', 'EXPIRED'];

function JobTable({ jobs }: { readonly jobs: Overview['jobs'] }) {
  const types = [...new Set(jobs.map(({ type }) => type))].sort();
  if (types.length === 0) {
    return (
      <p className="faint">
        No jobs in this range. <Link to="/try">Submit one.</Link>
      </p>
    );
  }
  const of = (type: string, status: string): number =>
    jobs.find((job) => job.type === type && job.status === status)?.count ?? 0;
  return (
    <div className="scroll">
      <table className="numbers">
        <thead>
          <tr>
            <th scope="col">Type</th>
            {statuses.map((status) => (
              <th scope="col" key={status}>
                <Status status={status} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {types.map((type) => (
            <tr key={type}>
              <th scope="row">
                <Link to={`/jobs?${new URLSearchParams({ type })}`}>{type}</Link>
              </th>
              {statuses.map((status) => (
                <td key={status}>
                  {of(type, status) === 0 ? (
                    <span className="faint">0</span>
                  ) : (
                    <Link
                      to={`/jobs?${new URLSearchParams({ type, status })}`}
                      aria-label={`${count(of(type, status))} ${status} jobs of ${type}`}
                    >
                      {count(of(type, status))}
                    </Link>
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
