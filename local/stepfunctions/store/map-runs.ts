import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';

export type MapRunStatus = 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'ABORTED';

/** What a Map Run may be told to do differently while it runs (UpdateMapRun). */
export type MapRunLimits = {
  /** 0 is no limit but AWS's own. */
  readonly maxConcurrency: number;
  readonly toleratedFailureCount?: number;
  readonly toleratedFailurePercentage?: number;
};

export type MapRunRow = MapRunLimits & {
  readonly id: number;
  readonly arn: string;
  /** The parent. */
  readonly execution: number;
  /** The machine's ARN with the Map's label, `…:stateMachine:NAME/LABEL`. */
  readonly machineArn: string;
  readonly express: boolean;
  readonly status: MapRunStatus;
  readonly startedAt: number;
  readonly stoppedAt?: number;
  readonly redriveCount: number;
  readonly redrivenAt?: number;
  /** Whether every child's input is there. */
  readonly itemsRead: boolean;
  readonly resultsWritten: number;
};

export type NewMapRun = MapRunLimits &
  Pick<MapRunRow, 'arn' | 'execution' | 'machineArn' | 'express' | 'startedAt'>;

/** A child that has not been started. */
export type PendingChild = {
  readonly position: number;
  readonly itemCount: number;
  readonly input: string;
};

/** A child that has been started. */
export type StartedChild = {
  readonly position: number;
  readonly itemCount: number;
  readonly execution: number;
};

/** How many children there are of a status (`PENDING` for those not started) and of how many items. */
export type StatusCount = {
  readonly status: string;
  readonly executions: number;
  readonly items: number;
  /** Of them, those that a redrive cannot take up again. */
  readonly notRedrivable: number;
  readonly itemsNotRedrivable: number;
};

export type MapRunStore = ReturnType<typeof createMapRunStore>;

const UNSUCCESSFUL = `e.status in ('FAILED', 'TIMED_OUT', 'ABORTED')`;
/** Room for ExecutionRedriven and one more event, and ended at most 14 days ago. */
const REDRIVABLE = `(e.express = 1 or (coalesce(e.last_event_id, 0) < 24999 and e.stopped_at >= ?))`;

/** Map Runs and their children. What changes them runs inside the caller's transaction. */
export function createMapRunStore(db: DatabaseSync) {
  const insert = db.prepare(`insert into map_runs (arn, execution, machine_arn, express,
    status, max_concurrency, tolerated_count, tolerated_percentage, started_at)
    values (?, ?, ?, ?, 'RUNNING', ?, ?, ?, ?)`);
  const byArn = db.prepare('select * from map_runs where arn = ?');
  const byExecution = db.prepare(
    'select * from map_runs where execution = ? order by id desc limit ? offset ?',
  );
  const open = db.prepare(`select * from map_runs where status = 'RUNNING' order by id`);
  const end = db.prepare('update map_runs set status = ?, stopped_at = ? where arn = ?');
  const written = db.prepare('update map_runs set results_written = ? where arn = ?');
  const itemsRead = db.prepare('update map_runs set items_read = 1 where arn = ?');
  const limits = db.prepare(`update map_runs set max_concurrency = ?, tolerated_count = ?,
    tolerated_percentage = ? where arn = ?`);
  const redrive = db.prepare(`update map_runs set status = 'RUNNING', stopped_at = null,
    redrive_count = ?, redriven_at = ? where arn = ?`);
  const markPending = db.prepare(`update executions as e set status = 'PENDING_REDRIVE'
    where map_run_arn = ? and ${UNSUCCESSFUL} and ${REDRIVABLE}`);
  const unmark = db.prepare(
    `update executions set status = ? where id = ? and status = 'PENDING_REDRIVE'`,
  );

  const addChild = db.prepare(
    'insert into map_run_children (map_run, position, item_count, input) values (?, ?, ?, ?)',
  );
  const clear = db.prepare('delete from map_run_children where map_run = ?');
  const place = db.prepare(`update map_run_children set execution = ?, input = null
    where map_run = ? and position = ?`);
  const pending = db.prepare(`select position, item_count, input from map_run_children
    where map_run = ? and position > ? and execution is null order by position limit ?`);
  const withStatus = db.prepare(`select c.position, c.item_count, c.execution
    from map_run_children c join executions e on e.id = c.execution
    where c.map_run = ? and c.position > ? and e.status = ? order by c.position limit ?`);
  const started = db.prepare(`select position, item_count, execution from map_run_children
    where map_run = ? and position > ? and execution is not null order by position limit ?`);
  const counts = db.prepare(`select coalesce(e.status, 'PENDING') as status, count(*) as executions,
    sum(c.item_count) as items,
    count(*) filter (where ${UNSUCCESSFUL} and not ${REDRIVABLE}) as not_redrivable,
    coalesce(sum(c.item_count) filter (where ${UNSUCCESSFUL} and not ${REDRIVABLE}), 0)
      as items_not_redrivable
    from map_run_children c left join executions e on e.id = c.execution
    where c.map_run = ? group by 1`);
  const removeChildren = db.prepare(
    'delete from map_run_children where map_run in (select id from map_runs where execution = ?)',
  );
  const remove = db.prepare('delete from map_runs where execution = ?');

  return {
    insert(run: NewMapRun): void {
      insert.run(
        run.arn,
        run.execution,
        run.machineArn,
        run.express ? 1 : 0,
        run.maxConcurrency,
        run.toleratedFailureCount ?? null,
        run.toleratedFailurePercentage ?? null,
        run.startedAt,
      );
    },
    find: (arn: string): MapRunRow | undefined => toRow(byArn.get(arn)),
    /** The newest first. */
    ofExecution: (execution: number, limit: number, offset: number): MapRunRow[] =>
      byExecution.all(execution, limit, offset).map(toRow).filter(isThere),
    open: (): MapRunRow[] => open.all().map(toRow).filter(isThere),
    end: (arn: string, status: MapRunStatus, stoppedAt: number): void =>
      void end.run(status, stoppedAt, arn),
    setResultsWritten: (arn: string, count: number): void => void written.run(count, arn),
    setItemsRead: (arn: string): void => void itemsRead.run(arn),
    setLimits: (arn: string, to: MapRunLimits): void =>
      void limits.run(
        to.maxConcurrency,
        to.toleratedFailureCount ?? null,
        to.toleratedFailurePercentage ?? null,
        arn,
      ),
    /** The Map Run runs again; its unsuccessful children wait for their redrive, if they can have one. */
    redrive(arn: string, redriveCount: number, now: number, stoppedSince: number): void {
      redrive.run(redriveCount, now, arn);
      markPending.run(arn, stoppedSince);
    },
    /** The child could not be redriven after all. */
    giveUpRedrive: (execution: number, status: string): void => void unmark.run(status, execution),

    addChild: (run: number, child: PendingChild): void =>
      void addChild.run(run, child.position, child.itemCount, child.input),
    clearChildren: (run: number): void => void clear.run(run),
    /** The child at this position is this execution from now on. */
    place: (run: number, position: number, execution: number): void =>
      void place.run(execution, run, position),
    pending: (run: number, after: number, limit: number): PendingChild[] =>
      pending.all(run, after, limit).map((row) => ({
        position: Number(row['position']),
        itemCount: Number(row['item_count']),
        input: String(row['input']),
      })),
    withStatus: (run: number, status: string, after: number, limit: number): StartedChild[] =>
      withStatus.all(run, after, status, limit).map(toChild),
    started: (run: number, after: number, limit: number): StartedChild[] =>
      started.all(run, after, limit).map(toChild),
    counts: (run: number, stoppedSince: number): StatusCount[] =>
      counts.all(stoppedSince, stoppedSince, run).map((row) => ({
        status: String(row['status']),
        executions: Number(row['executions']),
        items: Number(row['items']),
        notRedrivable: Number(row['not_redrivable']),
        itemsNotRedrivable: Number(row['items_not_redrivable']),
      })),
    /** All that is known of the Map Runs of an execution. */
    removeOf(execution: number): void {
      removeChildren.run(execution);
      remove.run(execution);
    },
  };
}

type Columns = Record<string, SQLOutputValue>;

function toChild(row: Columns): StartedChild {
  return {
    position: Number(row['position']),
    itemCount: Number(row['item_count']),
    execution: Number(row['execution']),
  };
}

function isThere<T>(row: T | undefined): row is T {
  return row !== undefined;
}

function toRow(columns: Columns | undefined): MapRunRow | undefined {
  if (!columns) return undefined;
  const text = (name: string): string => String(columns[name]);
  const number = (name: string): number => Number(columns[name]);
  const has = (name: string): boolean => columns[name] !== null;
  return {
    id: number('id'),
    arn: text('arn'),
    execution: number('execution'),
    machineArn: text('machine_arn'),
    express: number('express') === 1,
    status: statusOf(text('status')),
    maxConcurrency: number('max_concurrency'),
    ...(has('tolerated_count') && { toleratedFailureCount: number('tolerated_count') }),
    ...(has('tolerated_percentage') && {
      toleratedFailurePercentage: number('tolerated_percentage'),
    }),
    startedAt: number('started_at'),
    ...(has('stopped_at') && { stoppedAt: number('stopped_at') }),
    redriveCount: number('redrive_count'),
    ...(has('redriven_at') && { redrivenAt: number('redriven_at') }),
    itemsRead: number('items_read') === 1,
    resultsWritten: number('results_written'),
  };
}

function statusOf(text: string): MapRunStatus {
  if (text === 'RUNNING' || text === 'SUCCEEDED' || text === 'FAILED' || text === 'ABORTED') {
    return text;
  }
  throw new Error(`a Map Run cannot have the status ${text}`);
}
