import { useEffect, useState } from 'react';
import { useSession } from '../api/session.tsx';
import { useAnswer } from '../api/use-answer.ts';
import { count, duration } from '../parts/format.ts';
import { Link, go, setQuery, usePlace } from '../parts/location.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { Status } from '../parts/status.tsx';
import { At } from '../parts/time.tsx';
import { asQuery, type Filters, type FilterName, filterNames, filtersOf } from './job-filters.ts';
import { type ListedJob, useJobList } from './use-job-list.ts';

export function JobsPage() {
  const { query } = usePlace();
  const { isOperator } = useSession();
  const filters = filtersOf(query);
  const list = useJobList(asQuery(filters));
  return (
    <>
      <div className="title">
        <h1>Jobs</h1>
        {isOperator && Object.keys(filters).length > 0 && (
          <div className="actions">
            {(['redrive', 'cancel'] as const).map((verb) => (
              <Link
                key={verb}
                className="button"
                to={`/bulk?${new URLSearchParams({ verb, ...filters })}`}
              >
                {verb === 'redrive' ? 'Redrive' : 'Cancel'} all that match …
              </Link>
            ))}
          </div>
        )}
      </div>
      <FilterForm filters={filters} />
      <ProblemNote error={list.error} />
      <div className="live" role="status">
        {list.newer > 0 && (
          <button type="button" className="primary small" onClick={list.showNewer}>
            Show {list.newer === 1 ? '1 newer job' : `${count(list.newer)} newer jobs`}
          </button>
        )}
      </div>
      {list.jobs === undefined ? (
        list.isLoading && <p className="loading">Loading …</p>
      ) : (
        <JobTable jobs={list.jobs} />
      )}
      {list.hasMore && (
        <button type="button" onClick={list.loadMore} disabled={list.isLoading}>
          Older jobs
        </button>
      )}
    </>
  );
}

const statuses = ['PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELLED', 'EXPIRED'];
const noFilters: Readonly<Record<FilterName, undefined>> = Object.fromEntries(
  filterNames.map((name) => [name, undefined]),
) as Record<FilterName, undefined>;

/** The filters stand in the address, so that a list can be sent to somebody. A job's id leads to its page. */
function FilterForm({ filters }: { readonly filters: Filters }) {
  const types = useAnswer('listJobTypes');
  return (
    <search>
      <form className="filters" onSubmit={(event) => event.preventDefault()}>
        <JobIdField />
        <label>
          Status
          <select
            value={filters.status ?? ''}
            onChange={(event) => setQuery({ status: event.target.value })}
          >
            <option value="">any</option>
            {statuses.map((status) => (
              <option key={status}>{status}</option>
            ))}
          </select>
        </label>
        <label>
          Type
          <select
            value={filters.type ?? ''}
            onChange={(event) => setQuery({ type: event.target.value })}
          >
            <option value="">any</option>
            {namesOf(
              types.body?.jobTypes.map(({ type }) => type),
              filters.type,
            ).map((type) => (
              <option key={type}>{type}</option>
            ))}
          </select>
        </label>
        <TextFilter
          name="failureCode"
          label="Failure code"
          value={filters.failureCode}
          pattern="[A-Z_]+"
        />
        <TextFilter name="failureText" label="Failure text" value={filters.failureText} />
        <TextFilter name="tag" label="Tag" value={filters.tag} placeholder="name or name:value" />
        <TextFilter
          name="createdAfter"
          label="After"
          value={filters.createdAfter}
          type="datetime-local"
        />
        <TextFilter
          name="createdBefore"
          label="Before"
          value={filters.createdBefore}
          type="datetime-local"
        />
        {Object.keys(filters).length > 0 && (
          <button type="button" className="quiet" onClick={() => setQuery(noFilters)}>
            Clear
          </button>
        )}
      </form>
    </search>
  );
}

const namesOf = (known: readonly string[] | undefined, chosen: string | undefined): string[] =>
  [...new Set([...(known ?? []), ...(chosen === undefined ? [] : [chosen])])].sort();

const uuid = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/;

function JobIdField() {
  return (
    <label className="wide">
      Job id
      <input
        type="search"
        placeholder="paste an id, Enter"
        spellCheck={false}
        onKeyDown={(event) => {
          const [jobId] = uuid.exec(event.currentTarget.value.toLowerCase()) ?? [];
          if (event.key === 'Enter' && jobId !== undefined) go(`/jobs/${jobId}`);
        }}
      />
    </label>
  );
}

/** Asks when typing pauses; what does not fit its pattern is not asked. */
function TextFilter(props: {
  readonly name: FilterName;
  readonly label: string;
  readonly value: string | undefined;
  readonly type?: string;
  readonly pattern?: string;
  readonly placeholder?: string;
}) {
  const { name, label, value = '', type = 'search', pattern, placeholder } = props;
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    if (text === value || (pattern !== undefined && !new RegExp(`^(${pattern})?$`).test(text)))
      return;
    const timer = window.setTimeout(() => setQuery({ [name]: text }), 350);
    return () => window.clearTimeout(timer);
  }, [name, text, value, pattern]);
  return (
    <label>
      {label}
      <input
        type={type}
        value={text}
        pattern={pattern}
        placeholder={placeholder}
        spellCheck={false}
        onChange={(event) => setText(event.target.value)}
      />
    </label>
  );
}

function JobTable({ jobs }: { readonly jobs: readonly ListedJob[] }) {
  if (jobs.length === 0) return <p className="faint">No job fits.</p>;
  return (
    <div className="scroll">
      <table className="jobs">
        <thead>
          <tr>
            <th scope="col">Created</th>
            <th scope="col">Job</th>
            <th scope="col">Type</th>
            <th scope="col">Status</th>
            <th scope="col">Run</th>
            <th scope="col">Took</th>
            <th scope="col">What happened</th>
          </tr>
        </thead>
        <tbody>
          {jobs.map((job) => (
            <tr key={job.jobId}>
              <td className="nowrap">
                <At at={job.createdAt} />
              </td>
              <td>
                <Link to={`/jobs/${job.jobId}`} className="id">
                  {job.jobId}
                </Link>
              </td>
              <td className="nowrap">{job.type}</td>
              <td>
                <Status status={job.status} />
              </td>
              <td>{count(job.run)}</td>
              <td className="nowrap">{tookOf(job)}</td>
              <td className="what" title={job.failure?.message}>
                {whatHappened(job)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const tookOf = ({ startedAt, finishedAt }: ListedJob): string =>
  startedAt === null || finishedAt === null
    ? ''
    : duration(Date.parse(finishedAt) - Date.parse(startedAt));

function whatHappened({ failure, progress }: ListedJob) {
  if (failure !== null) {
    return (
      <>
        <code>{failure.code}</code>
        {failure.state !== null && ` in ${failure.state}`}: {failure.message}
      </>
    );
  }
  if (progress !== null) {
    return `${count(progress.done)} of ${progress.total === null ? '?' : count(progress.total)}${
      progress.failed > 0 ? `, ${count(progress.failed)} failed` : ''
    }`;
  }
  return '';
}
