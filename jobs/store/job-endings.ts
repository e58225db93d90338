import { isFailureCode } from '../failure-codes.ts';
import type { Sql } from './connect.ts';

/** Jobs that ended, or were redriven, alike in type, status, code and about in duration. */
export type Ending = {
  readonly kind: 'ended' | 'redriven';
  readonly type: string;
  readonly status: string;
  /** Of the failure; `none` for the others. */
  readonly code: string;
  readonly count: number;
  readonly averageSeconds: number;
};

/**
 * An event commits up to a statement's time limit after its number was given: by then all before it are there, and
 * none is passed over.
 */
const settleSeconds = 12;
/** After a pause of the scraper the oldest are left out rather than the process held up. */
const mostEvents = 100_000;

/** Gives, at each call, what ended or was redriven since the last one; the first call begins. */
export function createEndingReader(sql: Sql): () => Promise<readonly Ending[]> {
  let last: string | undefined;
  let reading: Promise<readonly Ending[]> = Promise.resolve([]);
  const read = async (): Promise<readonly Ending[]> => {
    const upTo = await newestSettled(sql);
    const from = last ?? upTo;
    last = upTo;
    return from === upTo ? [] : await readEndings(sql, from, upTo);
  };
  return async () => {
    // One after the other: two scrapes at once must not count the same events.
    reading = reading.catch(() => []).then(read);
    return await reading;
  };
}

async function newestSettled(sql: Sql): Promise<string> {
  const [row] = await sql<{ eventNo: string }[]>`
    select event_no as "eventNo" from job_events
    where at < now() - make_interval(secs => ${settleSeconds}) order by event_no desc limit 1`;
  return row?.eventNo ?? '0';
}

async function readEndings(sql: Sql, after: string, upTo: string): Promise<Ending[]> {
  const rows = await sql<Ending[]>`
    select case when to_status = 'PENDING' then 'redriven' else 'ended' end as kind, type, to_status as status,
           case when to_status = 'FAILED' then reason else 'none' end as code, count(*)::integer as count,
           coalesce(avg(extract(epoch from at - created_at)), 0)::double precision as "averageSeconds"
    from (
      select job_id, at, to_status, reason from job_events
      where event_no > ${after} and event_no <= ${upTo} and from_status is distinct from to_status
        and (to_status in ('SUCCEEDED', 'FAILED', 'CANCELLED', 'EXPIRED')
          or (to_status = 'PENDING' and from_status is not null))
      order by event_no desc limit ${mostEvents}
    ) ended join jobs using (job_id)
    group by 1, 2, 3, 4, width_bucket(ln(greatest(extract(epoch from at - created_at), 0.01)), -5, 12, 60)`;
  return rows.map((row) => ({
    ...row,
    code: row.code === 'none' || isFailureCode(row.code) ? row.code : 'other',
  }));
}
