-- What batch-import knows of a job: how its payload is read, and what became of each chunk of it.
create table import_plans (
  job_id         uuid primary key references jobs on delete cascade,
  execution_name text not null,
  delimiter      text,
  columns        jsonb,
  rows           integer not null check (rows >= 0),
  chunks         integer not null check (chunks >= 0),
  constraint only_csv_has_columns check ((delimiter is null) = (columns is null))
);

-- One row for each chunk that is done, written with its rows. A job's progress is the sum of its execution's chunks.
create table import_chunks (
  job_id         uuid not null references jobs on delete cascade,
  execution_name text not null,
  chunk_no       integer not null check (chunk_no >= 0),
  imported       integer not null check (imported >= 0),
  failed         integer not null check (failed >= 0),
  problems       jsonb,
  primary key (job_id, execution_name, chunk_no),
  constraint failed_rows_say_why check ((failed > 0) = (problems is not null))
);

-- The rows of each dataset as they stand. (accepted_no, line_no) is a row's version: a later job, then a later line, wins.
create table imported_rows (
  tenant_id   text not null,
  dataset     text not null,
  key         text collate "C" not null,
  accepted_no bigint not null,
  line_no     bigint not null,
  data        jsonb not null,
  job_id      uuid not null,
  imported_at timestamptz not null default now(),
  primary key (tenant_id, dataset, key)
);
