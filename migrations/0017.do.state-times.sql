-- How long states take, and where runs are that have lasted for long: what "over its p99" is measured by
-- (docs/decisions/task-times-from-histories.md). No task and no job writes here.

-- The newest measured passages through a state, in seconds.
create table state_times (
  type        text not null,
  state       text not null,
  seconds     double precision[] not null,
  p99_seconds double precision not null,
  measured_at timestamptz not null default now(),
  primary key (type, state)
);

-- Up to when the finished runs of a type have been looked at; moving it ahead is the right to look at the next ones.
create table measured_types (
  type        text primary key,
  measured_at timestamptz not null
);

-- RUNNING jobs that have lasted for long, as their history said when it was last looked at.
create table watched_runs (
  job_id         uuid primary key,
  execution_name text not null,
  redrive_count  integer not null,
  looked_at      timestamptz not null,
  -- [{state, since, attempts, error}]
  open_states    jsonb not null default '[]'
);
