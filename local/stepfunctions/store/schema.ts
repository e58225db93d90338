/**
 * `log` is the truth about executions: one row is what one turn of an execution appended, as a
 * JSON array of records (execution/record.ts). `executions` is what the list and describe calls
 * need without reading it; both are written in one transaction.
 *
 * Rows of `log` are only ever appended at the end of the table, whatever execution they belong to:
 * a commit then writes few pages. The index finds an execution's rows, in the order of appending.
 */
const EXECUTIONS = `
create table state_machines (
  arn text primary key,
  name text not null,
  type text not null check (type in ('STANDARD', 'EXPRESS')),
  revision integer not null,
  created_at integer not null,
  deleting integer not null default 0,
  last_version integer not null default 0
) without rowid;

create table revisions (
  id integer primary key,
  machine_arn text not null,
  revision_id text,
  definition text not null,
  role_arn text not null,
  logging text not null,
  tracing text not null,
  encryption text,
  updated_at integer not null
);

create table versions (
  arn text primary key,
  machine_arn text not null,
  number integer not null,
  revision integer not null references revisions (id),
  description text,
  created_at integer not null
) without rowid;

create table aliases (
  arn text primary key,
  machine_arn text not null,
  name text not null,
  description text,
  routing text not null,
  created_at integer not null,
  updated_at integer not null
) without rowid;

create table tags (
  arn text not null,
  key text not null,
  value text not null,
  primary key (arn, key)
) without rowid;

create table activities (
  arn text primary key,
  name text not null,
  created_at integer not null,
  encryption text
) without rowid;

create table executions (
  id integer primary key,
  arn text not null unique,
  machine_arn text not null,
  name text not null,
  revision integer not null references revisions (id),
  version_arn text,
  alias_arn text,
  map_run_arn text,
  express integer not null default 0,
  status text not null check (status in ('RUNNING', 'SUCCEEDED', 'FAILED', 'TIMED_OUT', 'ABORTED', 'PENDING_REDRIVE')),
  started_at integer not null,
  stopped_at integer,
  output text,
  error text,
  cause text,
  last_event_id integer,
  redrive_count integer not null default 0,
  redriven_at integer,
  trace_header text
);
create index executions_by_machine on executions (machine_arn, started_at);
create index executions_by_map_run on executions (map_run_arn) where map_run_arn is not null;
create index executions_open on executions (id) where status = 'RUNNING';
create index executions_closed on executions (stopped_at) where stopped_at is not null;

create table log (
  id integer primary key,
  execution integer not null,
  body text not null
);
create index log_by_execution on log (execution);

create table redrive_tokens (
  execution integer not null,
  token text not null,
  redriven_at integer not null,
  primary key (execution, token)
) without rowid;

create table outbox (
  id integer primary key autoincrement,
  event text not null
);
`;

/**
 * Map Runs and their children: an input waits in its row until its child execution is started,
 * then the row names the execution.
 */
const MAP_RUNS = `
create table map_runs (
  id integer primary key,
  arn text not null unique,
  execution integer not null,
  machine_arn text not null,
  express integer not null,
  status text not null check (status in ('RUNNING', 'SUCCEEDED', 'FAILED', 'ABORTED')),
  max_concurrency integer not null,
  tolerated_count integer,
  tolerated_percentage real,
  started_at integer not null,
  stopped_at integer,
  redrive_count integer not null default 0,
  redriven_at integer,
  items_read integer not null default 0,
  results_written integer not null default 0
);
create index map_runs_by_execution on map_runs (execution);
create index map_runs_open on map_runs (id) where status = 'RUNNING';

create table map_run_children (
  map_run integer not null,
  position integer not null,
  item_count integer not null,
  input text,
  execution integer,
  primary key (map_run, position)
) without rowid;
`;

/** The test case an execution was started with, as JSON (mocking/). */
const TEST_CASES = 'alter table executions add column test_case text;';

/** In this order, each once; the file remembers how many it has seen. Never edited, only added to. */
export const MIGRATIONS: readonly string[] = [EXECUTIONS, MAP_RUNS, TEST_CASES];
