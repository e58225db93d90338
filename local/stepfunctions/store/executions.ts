import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import type { ExecutionIdentity, ExecutionStatus, TestCase } from '../execution/view.ts';

/** PENDING_REDRIVE: a child of a redriven Map Run that waits for its turn; its log says nothing yet. */
export type RowStatus = ExecutionStatus | 'PENDING_REDRIVE';

export type ExecutionRow = {
  readonly id: number;
  readonly arn: string;
  readonly machineArn: string;
  readonly name: string;
  readonly revision: number;
  readonly versionArn?: string;
  readonly aliasArn?: string;
  readonly mapRunArn?: string;
  readonly express: boolean;
  readonly status: RowStatus;
  readonly startedAt: number;
  readonly stoppedAt?: number;
  readonly output?: string;
  readonly error?: string;
  readonly cause?: string;
  /** Known once the execution has ended. */
  readonly lastEventId?: number;
  readonly redriveCount: number;
  readonly redrivenAt?: number;
  readonly traceHeader?: string;
  readonly testCase?: TestCase;
};

/** What changes in a row when an execution ends or is redriven. */
export type ExecutionOutcome = Pick<
  ExecutionRow,
  | 'status'
  | 'stoppedAt'
  | 'output'
  | 'error'
  | 'cause'
  | 'lastEventId'
  | 'redriveCount'
  | 'redrivenAt'
>;

export type ExecutionFilter = {
  readonly machineArn?: string;
  readonly mapRunArn?: string;
  readonly versionArn?: string;
  readonly aliasArn?: string;
  readonly status?: string;
  readonly redriven?: boolean;
};

export type ExecutionStore = {
  nextId(): number;
  insert(
    identity: ExecutionIdentity,
    revision: number,
    startedAt: number,
    traceHeader?: string,
  ): void;
  update(id: number, outcome: ExecutionOutcome): void;
  /** An Express child of a redriven Map Run begins anew: its log starts from nothing. */
  restart(id: number, startedAt: number): void;
  find(arn: string): ExecutionRow | undefined;
  get(id: number): ExecutionRow | undefined;
  openIds(): number[];
  countOpen(): number;
  /** Newest (started or redriven) first. */
  list(filter: ExecutionFilter, limit: number, offset: number): ExecutionRow[];
  closedBefore(time: number, limit: number): number[];
  remove(id: number): void;
};

export function createExecutionStore(db: DatabaseSync): ExecutionStore {
  const insert = db.prepare(`insert into executions
    (id, arn, machine_arn, name, revision, version_arn, alias_arn, map_run_arn, express, status, started_at, trace_header, test_case)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?, 'RUNNING', ?, ?, ?)`);
  const update =
    db.prepare(`update executions set status = ?, stopped_at = ?, output = ?, error = ?, cause = ?,
    last_event_id = ?, redrive_count = ?, redriven_at = ? where id = ?`);
  const restart =
    db.prepare(`update executions set status = 'RUNNING', started_at = ?, stopped_at = null,
    output = null, error = null, cause = null, last_event_id = null where id = ?`);
  const byArn = db.prepare('select * from executions where arn = ?');
  const byId = db.prepare('select * from executions where id = ?');
  const open = db.prepare(`select id from executions where status = 'RUNNING' order by id`);
  const countOpen = db.prepare(`select count(*) as n from executions where status = 'RUNNING'`);
  const closed = db.prepare(
    'select id from executions where stopped_at < ? order by stopped_at limit ?',
  );
  const remove = db.prepare('delete from executions where id = ?');
  const removeTokens = db.prepare('delete from redrive_tokens where execution = ?');
  let lastId = Number(db.prepare('select max(id) as id from executions').get()?.['id'] ?? 0);

  return {
    nextId: () => ++lastId,
    insert(identity, revision, startedAt, traceHeader) {
      insert.run(
        identity.id,
        identity.arn,
        identity.machineArn,
        identity.name,
        revision,
        identity.versionArn ?? null,
        identity.aliasArn ?? null,
        identity.mapRunArn ?? null,
        identity.express ? 1 : 0,
        startedAt,
        traceHeader ?? null,
        identity.testCase ? JSON.stringify(identity.testCase) : null,
      );
    },
    update(id, outcome) {
      update.run(
        outcome.status,
        outcome.stoppedAt ?? null,
        outcome.output ?? null,
        outcome.error ?? null,
        outcome.cause ?? null,
        outcome.lastEventId ?? null,
        outcome.redriveCount,
        outcome.redrivenAt ?? null,
        id,
      );
    },
    restart: (id, startedAt) => void restart.run(startedAt, id),
    find: (arn) => toRow(byArn.get(arn)),
    get: (id) => toRow(byId.get(id)),
    openIds: () => open.all().map((row) => Number(row['id'])),
    countOpen: () => Number(countOpen.get()?.['n'] ?? 0),
    list(filter, limit, offset) {
      const { where, values } = conditions(filter);
      return db
        .prepare(
          `select * from executions where ${where}
           order by coalesce(redriven_at, started_at) desc, id desc limit ? offset ?`,
        )
        .all(...values, limit, offset)
        .map(toRow)
        .filter((row) => row !== undefined);
    },
    closedBefore: (time, limit) => closed.all(time, limit).map((row) => Number(row['id'])),
    remove(id) {
      remove.run(id);
      removeTokens.run(id);
    },
  };
}

function conditions(filter: ExecutionFilter): { where: string; values: (string | number)[] } {
  const parts: string[] = ['express = 0 or map_run_arn is not null'];
  const values: (string | number)[] = [];
  const equals = (column: string, value: string | undefined): void => {
    if (value === undefined) return;
    parts.push(`${column} = ?`);
    values.push(value);
  };
  equals('machine_arn', filter.machineArn);
  equals('map_run_arn', filter.mapRunArn);
  equals('version_arn', filter.versionArn);
  equals('alias_arn', filter.aliasArn);
  equals('status', filter.status);
  if (filter.redriven !== undefined) {
    parts.push(filter.redriven ? 'redrive_count > 0' : 'redrive_count = 0');
  }
  return { where: parts.map((part) => `(${part})`).join(' and '), values };
}

type Columns = Record<string, SQLOutputValue>;

function toRow(columns: Columns | undefined): ExecutionRow | undefined {
  if (!columns) return undefined;
  const text = (name: string): string => String(columns[name]);
  const number = (name: string): number => Number(columns[name]);
  const has = (name: string): boolean => columns[name] !== null;
  return {
    id: number('id'),
    arn: text('arn'),
    machineArn: text('machine_arn'),
    name: text('name'),
    revision: number('revision'),
    ...(has('version_arn') && { versionArn: text('version_arn') }),
    ...(has('alias_arn') && { aliasArn: text('alias_arn') }),
    ...(has('map_run_arn') && { mapRunArn: text('map_run_arn') }),
    express: number('express') === 1,
    status: statusOf(text('status')),
    startedAt: number('started_at'),
    ...(has('stopped_at') && { stoppedAt: number('stopped_at') }),
    ...(has('output') && { output: text('output') }),
    ...(has('error') && { error: text('error') }),
    ...(has('cause') && { cause: text('cause') }),
    ...(has('last_event_id') && { lastEventId: number('last_event_id') }),
    redriveCount: number('redrive_count'),
    ...(has('redriven_at') && { redrivenAt: number('redriven_at') }),
    ...(has('trace_header') && { traceHeader: text('trace_header') }),
    ...(has('test_case') && { testCase: JSON.parse(text('test_case')) as TestCase }),
  };
}

function statusOf(text: string): RowStatus {
  switch (text) {
    case 'RUNNING':
    case 'SUCCEEDED':
    case 'FAILED':
    case 'TIMED_OUT':
    case 'ABORTED':
    case 'PENDING_REDRIVE':
      return text;
    default:
      throw new Error(`an execution cannot have the status ${text}`);
  }
}
