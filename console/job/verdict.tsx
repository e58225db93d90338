import type { Answer } from '../api/call.ts';
import { useAnswer } from '../api/use-answer.ts';
import { ago, count, duration } from '../parts/format.ts';
import { Link } from '../parts/location.tsx';
import { Status } from '../parts/status.tsx';
import { useNow } from '../parts/use-now.ts';
import { runbookOf } from './runbook-of.ts';
import type { Job } from './use-job.ts';

/** One line that says how the job stands; where it failed: where, with which code, what that means, what to do. */
export function Verdict(props: {
  readonly job: Job;
  readonly execution?: Answer<'getExecution'> | undefined;
}) {
  const { job } = props;
  const meaning = useAnswer('getFailureCode', job.failure && { path: { code: job.failure.code } });
  return (
    <section className={`verdict ${job.status.toLowerCase()}`} aria-live="polite">
      <h1>
        <Status status={job.status} /> <span className="type">{job.type}</span>
        {job.failure === null ? <Progress job={job} /> : <FailureLine failure={job.failure} />}
      </h1>
      {job.failure !== null && (
        <div className="because">
          <p className="message">{job.failure.message}</p>
          {meaning.body !== undefined && (
            <p>
              {sentence(meaning.body.means)}{' '}
              {meaning.body.retryable
                ? 'A redrive may well succeed.'
                : 'A redrive fails again until something is mended.'}{' '}
              {meaning.body.whatToDo}
            </p>
          )}
          <p>
            <Link to={`/runbooks/${runbookOf(job.failure.code)}`}>Runbook</Link>
            {' · '}
            <Link
              to={`/jobs?${new URLSearchParams({ status: 'FAILED', failureCode: job.failure.code })}`}
            >
              Others with this code
            </Link>
          </p>
        </div>
      )}
    </section>
  );
}

function FailureLine({ failure }: { readonly failure: NonNullable<Job['failure']> }) {
  return (
    <span className="said">
      {failure.state !== null && (
        <>
          in <strong>{failure.state}</strong>{' '}
        </>
      )}
      with <code>{failure.code}</code>
    </span>
  );
}

function Progress({ job }: { readonly job: Job }) {
  const isRunning = job.status === 'PENDING' || job.status === 'RUNNING';
  const now = useNow(isRunning ? 1_000 : 0);
  const began = Date.parse(job.startedAt ?? job.createdAt);
  const { progress } = job;
  return (
    // The clock in it is not read out each second.
    <span className="said" aria-live="off">
      {isRunning && job.startedAt === null && `waiting for ${duration(now - began)}`}
      {isRunning && job.startedAt !== null && `for ${duration(now - began)}`}
      {!isRunning && job.finishedAt !== null && ago(new Date(job.finishedAt), now)}
      {job.run > 1 && ` · run ${count(job.run)}`}
      {progress !== null && (
        <>
          {' '}
          · {count(progress.done)} of {progress.total === null ? '?' : count(progress.total)}
          {progress.failed > 0 && `, ${count(progress.failed)} failed`}
          {progress.total !== null && progress.total > 0 && (
            <progress max={progress.total} value={progress.done} aria-label="Progress" />
          )}
        </>
      )}
    </span>
  );
}

const sentence = (text: string): string =>
  `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
