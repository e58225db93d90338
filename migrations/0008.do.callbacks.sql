-- A provider's answer to a state that waits with a task token. callback_id is ours and random: it stands in the URL
-- that the provider is given; AWS's own token never leaves the database.
create table callbacks (
  callback_id    text primary key check (callback_id ~ '^[A-Za-z0-9_-]{43}$'),
  tenant_id      text not null,
  job_id         uuid not null,
  provider       text not null,
  -- The effect whose answer this is: `order:42:payment:1`.
  effect_key     text not null,
  -- Of the run that waits now: each rerun of the state puts its own in place.
  execution_name text not null,
  redrive_count  integer not null,
  task_token     text not null,
  token_no       integer not null default 1 check (token_no >= 1),
  -- The first answer; another one that says otherwise stands beside it.
  answer         jsonb,
  answered_at    timestamptz,
  contradiction  jsonb,
  -- When Step Functions took the answer under the token of now.
  delivered_at   timestamptz,
  -- What the job went on with, after which no attempt reads the answer any more.
  settled_as     text,
  settled_at     timestamptz,
  -- For a person: an answer that nothing will read.
  held_at        timestamptz,
  held_reason    text,
  resolved_at    timestamptz,
  created_at     timestamptz not null default now(),
  unique (tenant_id, effect_key),
  constraint answers_say_when check ((answer is null) = (answered_at is null)),
  constraint a_contradiction_has_something_to_contradict check (contradiction is null or answer is not null),
  constraint settled_callbacks_say_when check ((settled_as is null) = (settled_at is null)),
  constraint held_callbacks_say_why check ((held_at is null) = (held_reason is null)),
  constraint only_held_callbacks_are_resolved check (resolved_at is null or held_at is not null)
);
create index callbacks_of_job on callbacks (job_id);
create index callbacks_held on callbacks (held_at) where held_at is not null and resolved_at is null;

-- Until when a job may be cancelled or expire: until it is final, or only until its execution is first started,
-- because afterwards it compensates by itself (the job type says).
alter table jobs add column stoppable text not null default 'until-final'
  check (stoppable in ('until-final', 'until-started'));
