import { useState } from 'react';
import type { Answer } from '../api/call.ts';
import { useSession } from '../api/session.tsx';
import { useAnswer } from '../api/use-answer.ts';
import { asQuery } from '../jobs/job-filters.ts';
import { count, duration } from '../parts/format.ts';
import { go, usePlace } from '../parts/location.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { useAction } from '../parts/use-action.ts';

type Verb = 'redrive' | 'cancel';
type DryRun = Answer<'redriveJobs'>;

const operations = { redrive: 'redriveJobs', cancel: 'cancelJobs' } as const;
/** What can be meant; '' asks for what the operation means without one. */
const statuses: Readonly<Record<Verb, readonly string[]>> = {
  redrive: ['FAILED', 'CANCELLED', 'EXPIRED'],
  cancel: ['', 'PENDING', 'RUNNING', 'FAILED'],
};

const filterOf = (verb: Verb, query: URLSearchParams) => ({
  status: statusOf(verb, query.get('status')),
  type: query.get('type') ?? '',
  code: query.get('failureCode') ?? '',
  failureText: query.get('failureText') ?? '',
  tag: query.get('tag') ?? '',
  createdAfter: query.get('createdAfter') ?? '',
  createdBefore: query.get('createdBefore') ?? '',
});

const statusOf = (verb: Verb, wanted: string | null): string =>
  statuses[verb].find((status) => status === wanted) ?? statuses[verb][0] ?? '';

/** Which jobs, how and how fast; nothing is started before a dry run has said what would be. */
export function BulkForm() {
  const { call } = useSession();
  const { query } = usePlace();
  const types = useAnswer('listJobTypes');
  const [verb, setVerb] = useState<Verb>(query.get('verb') === 'cancel' ? 'cancel' : 'redrive');
  const [filter, setFilter] = useState(() => filterOf(verb, query));
  const [mode, setMode] = useState('auto');
  const [rate, setRate] = useState('10');
  const [name, setName] = useState('');
  const [reason, setReason] = useState('');
  const [dryRun, setDryRun] = useState<{ of: string; answer: DryRun }>();
  const asked = JSON.stringify({ verb, filter, mode });
  const wanted = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== ''));
  const body = { filter: asQuery(wanted), ...(verb === 'redrive' ? { mode } : {}) };
  const preview = useAction(async () => {
    const answer = await call(operations[verb], { body: { ...body, dryRun: true } });
    setDryRun({ of: asked, answer: answer.body });
  });
  const start = useAction(async () => {
    const { headers } = await call(operations[verb], {
      body: { ...body, name: name.trim(), reason: reason.trim(), ratePerSecond: Number(rate) },
    });
    const bulkId = headers.get('location')?.split('/').at(-1);
    if (bulkId !== undefined) go(`/bulk/${bulkId}`);
  });
  const shown = dryRun?.of === asked ? dryRun.answer : undefined;
  const left = leftOut(verb, query, filter.status);
  const set = (member: keyof typeof filter) => (event: { target: { value: string } }) =>
    setFilter({ ...filter, [member]: event.target.value });
  return (
    <section className="card" aria-labelledby="new-bulk">
      <h2 id="new-bulk">New</h2>
      {left !== undefined && <div className="note warn">{left}</div>}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          preview.run();
        }}
      >
        <div className="filters">
          <label>
            What
            <select
              value={verb}
              onChange={(event) => {
                const next = event.target.value === 'cancel' ? 'cancel' : 'redrive';
                setVerb(next);
                setFilter({ ...filter, status: statusOf(next, filter.status) });
              }}
            >
              <option value="redrive">redrive</option>
              <option value="cancel">cancel</option>
            </select>
          </label>
          <label>
            Status
            <select value={filter.status} onChange={set('status')}>
              {statuses[verb].map((status) => (
                <option key={status} value={status}>
                  {status === '' ? 'open: PENDING or RUNNING' : status}
                </option>
              ))}
            </select>
          </label>
          <label>
            Type
            <select value={filter.type} onChange={set('type')}>
              <option value="">any</option>
              {types.body?.jobTypes.map(({ type }) => (
                <option key={type}>{type}</option>
              ))}
            </select>
          </label>
          <label>
            Failure code
            <input value={filter.code} pattern="[A-Z_]+" onChange={set('code')} />
          </label>
          <label>
            Failure text
            <input value={filter.failureText} maxLength={200} onChange={set('failureText')} />
          </label>
          <label>
            Tag
            <input value={filter.tag} placeholder="name or name:value" onChange={set('tag')} />
          </label>
          <label>
            After
            <input
              type="datetime-local"
              value={filter.createdAfter}
              onChange={set('createdAfter')}
            />
          </label>
          <label>
            Before
            <input
              type="datetime-local"
              value={filter.createdBefore}
              onChange={set('createdBefore')}
            />
          </label>
          {verb === 'redrive' && (
            <label>
              Mode
              <select value={mode} onChange={(event) => setMode(event.target.value)}>
                <option value="auto">auto: resume where possible, else restart</option>
                <option value="resume">resume</option>
                <option value="restart">restart</option>
              </select>
            </label>
          )}
          <button
            type="submit"
            className={shown === undefined ? 'primary' : ''}
            disabled={preview.isBusy}
          >
            Dry run
          </button>
        </div>
      </form>
      <ProblemNote error={preview.error} />
      {shown !== undefined && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            start.run();
          }}
        >
          <div className="note" role="status">
            <strong>
              {count(shown.eligible)} of {count(shown.matched)}{' '}
              {shown.matched === 1 ? 'job' : 'jobs'} would be{' '}
              {verb === 'redrive' ? 'redriven' : 'cancelled'}
            </strong>
            {Number(rate) > 0 && shown.eligible > 0 && (
              <span> in about {duration((shown.eligible / Number(rate)) * 1000)}</span>
            )}
            {shown.ineligible.map((left) => (
              <div key={left.reason}>
                {count(left.count)} left out: {left.reason}
              </div>
            ))}
          </div>
          {verb === 'cancel' && (
            <p className="faint">
              What these jobs did to other systems stays done; they can be redriven later.
            </p>
          )}
          <div className="filters">
            <label>
              Name
              <input
                value={name}
                maxLength={200}
                required
                onChange={(event) => setName(event.target.value)}
              />
            </label>
            <label className="wide">
              Reason (stands in the audit trail)
              <input
                value={reason}
                maxLength={1000}
                required
                onChange={(event) => setReason(event.target.value)}
              />
            </label>
            <label>
              Jobs a second
              <input
                type="number"
                min={0.01}
                max={500}
                step="any"
                required
                value={rate}
                onChange={(event) => setRate(event.target.value)}
              />
            </label>
            <button
              type="submit"
              className={verb === 'redrive' ? 'primary' : 'danger'}
              disabled={start.isBusy || shown.eligible === 0}
            >
              {verb === 'redrive' ? 'Redrive' : 'Cancel'} {count(shown.eligible)}
            </button>
          </div>
          <ProblemNote error={start.error} />
        </form>
      )}
    </section>
  );
}

/** What of the list's filter was not taken over, since more or other jobs may then match than the list showed. */
function leftOut(verb: Verb, query: URLSearchParams, status: string): string | undefined {
  const listed = query.get('status');
  if (listed === status) return undefined;
  if (listed !== null)
    return `${listed} jobs cannot be ${verb === 'redrive' ? 'redriven' : 'cancelled'}: the status below is meant instead.`;
  return query.has('verb')
    ? `The list showed jobs of every status; this takes ${status === '' ? 'the open ones' : status} only.`
    : undefined;
}
