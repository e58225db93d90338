import { useState } from 'react';
import { useSession } from '../api/session.tsx';
import { useAnswer } from '../api/use-answer.ts';
import { ReasonDialog } from '../operations/message-list.tsx';
import { count, duration } from '../parts/format.ts';
import { Link } from '../parts/location.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { Status } from '../parts/status.tsx';
import { At } from '../parts/time.tsx';

type Verb = 'pause' | 'resume' | 'cancel';
const operations = {
  pause: 'pauseBulkOperation',
  resume: 'resumeBulkOperation',
  cancel: 'cancelBulkOperation',
} as const;
const verbs: Readonly<Record<string, readonly Verb[]>> = {
  RUNNING: ['pause', 'cancel'],
  PAUSED: ['resume', 'cancel'],
};

/** How one bulk redrive or cancel gets on; it can be paused, go on at another pace, and be ended. */
export function BulkProgress({ bulkId }: { readonly bulkId: string }) {
  const { call } = useSession();
  const { body: bulk, error, reload } = useAnswer('getBulkOperation', { path: { bulkId } }, 1_500);
  const [asking, setAsking] = useState<Verb>();
  const [rate, setRate] = useState('');
  if (bulk === undefined)
    return error ? <ProblemNote error={error} /> : <p className="loading">Loading …</p>;
  const settled = bulk.done + bulk.skipped;
  return (
    <>
      <div className="title">
        <h1>
          <Status status={bulk.status} /> {bulk.name}
        </h1>
        <Link to="/bulk">All bulk operations</Link>
      </div>
      <ProblemNote error={error} />
      <section className="card" aria-label="Progress">
        <div role="status">
          {count(settled)} of {count(bulk.total)}
          {bulk.collecting && ' and more'}: {count(bulk.done)}{' '}
          {bulk.operation === 'cancel' ? 'cancelled' : 'redriven'}, {count(bulk.skipped)} skipped,{' '}
          {count(bulk.waiting)} waiting
          {bulk.status === 'RUNNING' &&
            bulk.waiting > 0 &&
            `; about ${duration((bulk.waiting / bulk.ratePerSecond) * 1000)} left`}
        </div>
        <progress
          max={Math.max(1, bulk.total)}
          value={bulk.total === 0 ? 1 : settled}
          aria-label="Progress"
        />
        <div className="actions">
          {(verbs[bulk.status] ?? []).map((verb) => (
            <button
              key={verb}
              type="button"
              className={verb === 'cancel' ? 'danger' : ''}
              onClick={() => setAsking(verb)}
            >
              {labels[verb]} …
            </button>
          ))}
          {bulk.status === 'PAUSED' && (
            <label className="inline">
              go on at
              <input
                type="number"
                min={0.01}
                max={500}
                step="any"
                placeholder={String(bulk.ratePerSecond)}
                value={rate}
                onChange={(event) => setRate(event.target.value)}
              />
              a second
            </label>
          )}
        </div>
        <dl className="facts">
          <dt>reason</dt>
          <dd>{bulk.reason}</dd>
          <dt>by</dt>
          <dd>
            {bulk.actor}, <At at={bulk.createdAt} />
          </dd>
          <dt>filter</dt>
          <dd>
            <code>{JSON.stringify(bulk.filter)}</code>
          </dd>
          <dt>what, pace</dt>
          <dd>
            {bulk.operation} {bulk.mode}, {count(bulk.ratePerSecond)} a second
          </dd>
          {Object.keys(bulk.statuses).length > 0 && (
            <>
              <dt>how they stand now</dt>
              <dd>
                {Object.entries(bulk.statuses).map(([status, many]) => (
                  <span key={status}>
                    <Status status={status} /> {count(many)}{' '}
                  </span>
                ))}
              </dd>
            </>
          )}
          {Object.entries(bulk.skippedBecause).map(([why, many]) => (
            <Fact key={why} name="skipped" text={`${count(many)}: ${why}`} />
          ))}
          {bulk.ineligible.map((left) => (
            <Fact key={left.reason} name="left out" text={`${count(left.count)}: ${left.reason}`} />
          ))}
        </dl>
      </section>
      {asking !== undefined && (
        <ReasonDialog
          title={`${labels[asking]} this bulk ${bulk.operation}`}
          isDangerous={asking === 'cancel'}
          onClose={() => setAsking(undefined)}
          act={async (reason) => {
            await call(operations[asking], {
              path: { bulkId },
              body: {
                reason,
                ...(asking === 'resume' && rate !== '' ? { ratePerSecond: Number(rate) } : {}),
              },
            });
            reload();
          }}
        />
      )}
    </>
  );
}

const labels: Readonly<Record<Verb, string>> = { pause: 'Pause', resume: 'Resume', cancel: 'End' };

function Fact({ name, text }: { readonly name: string; readonly text: string }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{text}</dd>
    </>
  );
}
