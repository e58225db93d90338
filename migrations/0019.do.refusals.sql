-- Requests that were refused and that somebody may want to know of: who, what for, how often in an hour. One row for each
-- caller, reason and route in an hour, so that nobody fills a disk by being refused.
create table refusals (
  refusal_no bigint generated always as identity primary key,
  hour_at    timestamptz not null,
  actor      text not null,
  tenant_id  text,
  code       text not null,
  route      text not null,
  status     integer not null,
  times      integer not null check (times > 0),
  first_at   timestamptz not null,
  last_at    timestamptz not null,
  -- Of the last one.
  job_id     uuid,
  detail     text not null,
  request_id text not null,
  unique (hour_at, actor, code, route)
);
create index refusals_by_time on refusals (first_at);
