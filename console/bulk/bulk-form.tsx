import { useState } from 'react';
import type { Answer } from '../api/call.ts';
import { useSession } from '../api/session.tsx';
import { useAnswer } from '../api/use-answer.ts';
import { asQuery } from '../jobs/job-filters.ts';
import { count, duration } from '../parts/format.ts';
import { go, usePlace } from '../parts/location.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { useAction } from '../parts/use-action.ts';

type DryRun = Answer<'redriveJobs'>;

const statuses = ['FAILED', 'CANCELLED', 'EXPIRED'];

/** Which jobs, how and how fast; nothing is started before a dry run has said what would be. */
export function BulkForm() {
  const { call } = useSession();
  const { query } = usePlace();
  const types = useAnswer('listJobTypes');
  const [filter, setFilter] = useState(() => ({
    status: statuses.find((status) => status === query.get('status')) ?? 'FAILED',
    type: query.get('type') ?? '',
    code: query.get('failureCode') ?? '',
    tag: query.get('tag') ?? '',
    createdAfter: query.get('createdAfter') ?? '',
    createdBefore: query.get('createdBefore') ?? '',
  }));
  const [mode, setMode] = useState('auto');
  const [rate, setRate] = useState('10');
  const [name, setName] = useState('');
  const [reason, setReason] = useState('');
  const [dryRun, setDryRun] = useState<{ of: string; answer: DryRun }>();
  const asked = JSON.stringify({ filter, mode });
  const wanted = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== ''));
  const body = { filter: asQuery(wanted), mode };
  const preview = useAction(async () => {
    const answer = await call('redriveJobs', { body: { ...body, dryRun: true } });
    setDryRun({ of: asked, answer: answer.body });
  });
  const start = useAction(async () => {
    const { headers } = await call('redriveJobs', {
      body: { ...body, name: name.trim(), reason: reason.trim(), ratePerSecond: Number(rate) },
    });
    const bulkId = headers.get('location')?.split('/').at(-1);
    if (bulkId !== undefined) go(`/bulk/${bulkId}`);
  });
  const shown = dryRun?.of === asked ? dryRun.answer : undefined;
  const set = (member: keyof typeof filter) => (event: { target: { value: string } }) =>
    setFilter({ ...filter, [member]: event.target.value });
  return (
    <section className="card" aria-labelledby="new-bulk">
      <h2 id="new-bulk">New</h2>
      {query.get('failureText') !== null && (
        <div className="note warn">
          A bulk redrive does not filter by failure text: <q>{query.get('failureText')}</q> is left
          out, so more jobs may match than the list showed.
        </div>
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          preview.run();
        }}
      >
        <div className="filters">
          <label>
            Status
            <select value={filter.status} onChange={set('status')}>
              {statuses.map((status) => (
                <option key={status}>{status}</option>
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
          <label>
            Mode
            <select value={mode} onChange={(event) => setMode(event.target.value)}>
              <option value="auto">auto: resume where possible, else restart</option>
              <option value="resume">resume</option>
              <option value="restart">restart</option>
            </select>
          </label>
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
              {shown.matched === 1 ? 'job' : 'jobs'} would be redriven
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
              className="primary"
              disabled={start.isBusy || shown.eligible === 0}
            >
              Redrive {count(shown.eligible)}
            </button>
          </div>
          <ProblemNote error={start.error} />
        </form>
      )}
    </section>
  );
}
