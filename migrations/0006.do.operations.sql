-- What operators do, what they see, and what they have running.

-- What an operator did to anything but one job's status (that stands in job_events): who, what, when, why, how it
-- ended. Written before the action, its result after it; what is left at 'started' was cut off in between.
create table operator_actions (
  action_no bigint generated always as identity primary key,
  at        timestamptz not null default now(),
  actor     text not null,
  action    text not null,
  target    text not null,
  job_id    uuid,
  reason    text not null check (reason <> ''),
  details   jsonb not null default '{}',
  result    text not null default 'started',
  ended_at  timestamptz
);
create index operator_actions_newest on operator_actions (at desc, action_no desc);
create index job_events_of_operators on job_events (at desc, event_no desc) where actor like 'operator key %';

-- A redrive of many jobs, at a pace. paced_until is the moment up to which the pace is used up: whoever moves it
-- ahead has the right to redrive that many jobs, so several workers keep one pace together.
create table bulk_redrives (
  bulk_id         uuid primary key,
  name            text not null,
  reason          text not null check (reason <> ''),
  actor           text not null,
  filter          jsonb not null,
  mode            text not null check (mode in ('resume', 'restart', 'auto')),
  rate_per_second double precision not null check (rate_per_second > 0),
  status          text not null default 'RUNNING' check (status in ('RUNNING', 'PAUSED', 'COMPLETED', 'CANCELLED')),
  total           integer not null check (total >= 0),
  ineligible      jsonb not null,
  redriven        integer not null default 0,
  skipped         integer not null default 0,
  paced_until     timestamptz not null default now(),
  created_at      timestamptz not null default now(),
  ended_at        timestamptz,
  constraint ended_redrives_say_when check ((status in ('COMPLETED', 'CANCELLED')) = (ended_at is not null))
);
create index bulk_redrives_running on bulk_redrives (paced_until) where status = 'RUNNING';

-- The jobs that matched when it was started, each as it was then: a job that has moved on to another run is skipped.
create table bulk_redrive_jobs (
  bulk_id       uuid not null references bulk_redrives on delete cascade,
  position      integer not null,
  job_id        uuid not null,
  run           integer not null,
  claimed_until timestamptz,
  outcome       text,
  primary key (bulk_id, position)
);
create index bulk_redrive_jobs_waiting on bulk_redrive_jobs (bulk_id, position) where outcome is null;

-- Each worker process tells here every few seconds that it lives and how it is doing.
create table workers (
  worker_id  uuid primary key,
  host       text not null,
  pid        integer not null,
  started_at timestamptz not null default now(),
  seen_at    timestamptz not null default now(),
  state      jsonb not null
);

-- How many jobs are open, and which have been so for long.
create index jobs_open on jobs (status, created_at) where status in ('PENDING', 'RUNNING');
-- Effects that are not done: held, in hand, refused, given up. Takes the place of external_effects_held.
create index external_effects_not_completed on external_effects (status, updated_at) where status <> 'COMPLETED';
drop index external_effects_held;

-- Retention walks these from their old end. A block range index costs next to nothing to keep.
create index worker_inbox_by_age on worker_inbox using brin (first_seen_at) with (autosummarize = on);
create index outbox_by_age on outbox using brin (created_at) with (autosummarize = on);
create index external_effects_by_age on external_effects using brin (created_at) with (autosummarize = on);
