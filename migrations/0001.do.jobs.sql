-- The truth about jobs. Rules this file holds by constraint rather than by habit are named beside it.
-- Jobs carry no foreign key to tenants on purpose: the key-share lock on one busy tenant's row would be
-- taken by every POST of that tenant.

create table tenants (
  tenant_id  text primary key check (tenant_id ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
  name       text not null,
  created_at timestamptz not null default now()
);

-- A key is shown once; what is kept is its SHA-256 and the prefix by which it is looked up.
create table api_keys (
  key_id       uuid primary key,
  tenant_id    text references tenants,
  prefix       text not null unique,
  key_hash     bytea not null check (length(key_hash) = 32),
  scopes       jsonb not null check (jsonb_typeof(scopes) = 'array'),
  name         text not null,
  created_at   timestamptz not null default now(),
  expires_at   timestamptz,
  revoked_at   timestamptz,
  last_used_at timestamptz,
  -- An operator's key has no tenant and sees all; a tenant's key never has the scope ops.
  constraint operator_keys_have_no_tenant check ((tenant_id is null) = (scopes ? 'ops'))
);

create table jobs (
  job_id          uuid primary key,
  accepted_no     bigint generated always as identity,
  tenant_id       text not null,
  type            text not null,
  status          text not null default 'PENDING'
                  check (status in ('PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELLED', 'EXPIRED')),
  -- The fence is the pair (execution_name, redrive_count); run is for people.
  run             integer not null default 1 check (run >= 1),
  execution_name  text not null,
  redrive_count   integer not null default 0 check (redrive_count >= 0),
  execution_arn   text,
  -- Grows with every change that GET /jobs/:jobId shows; the ETag is made of it.
  revision        integer not null default 1,
  input           jsonb not null,
  idempotency_key text,
  request_hash    text not null check (request_hash ~ '^[0-9a-f]{64}$'),
  payload_ref     jsonb,
  payload_pin     jsonb,
  progress        jsonb,
  result          jsonb,
  failure         jsonb,
  tags            jsonb not null default '{}' check (jsonb_typeof(tags) = 'object'),
  ordering_key    text,
  unique_key      text,
  callback_url    text,
  correlation_id  text not null,
  traceparent     text,
  not_before      timestamptz,
  expires_at      timestamptz,
  -- Until when somebody is known to be looking after the job; null once its execution is known to be closed.
  owner_until     timestamptz,
  created_at      timestamptz not null default now(),
  started_at      timestamptz,
  finished_at     timestamptz,
  constraint final_jobs_are_finished
    check ((status in ('SUCCEEDED', 'FAILED', 'CANCELLED', 'EXPIRED')) = (finished_at is not null)),
  constraint failed_jobs_say_why check ((status = 'FAILED') = (failure is not null)),
  constraint only_success_has_a_result check (result is null or status = 'SUCCEEDED')
) with (fillfactor = 80);

create unique index jobs_idempotency_key on jobs (tenant_id, idempotency_key) where idempotency_key is not null;
create unique index jobs_unique_key_while_open on jobs (tenant_id, type, unique_key)
  where unique_key is not null and status in ('PENDING', 'RUNNING');
create index jobs_newest_first on jobs (tenant_id, created_at desc, job_id desc);
create index jobs_without_owner on jobs (owner_until) where owner_until is not null;

-- The audit trail: one row for each arrow that was taken, and for each thing an operator did.
create table job_events (
  event_no    bigint generated always as identity primary key,
  job_id      uuid not null,
  tenant_id   text not null,
  run         integer not null,
  at          timestamptz not null default now(),
  actor       text not null,
  from_status text,
  to_status   text not null,
  reason      text not null,
  details     jsonb
);
create index job_events_of_job on job_events (job_id, event_no);

-- Written in the transaction that makes the message true; next_attempt_at is also the lease of whoever sends it now.
create table outbox (
  message_id      uuid primary key,
  tenant_id       text not null,
  destination     text not null check (destination in ('job-requests', 'event-bus', 'webhook')),
  message_type    text not null,
  job_id          uuid,
  envelope        jsonb not null,
  traceparent     text,
  attempts        integer not null default 0,
  next_attempt_at timestamptz not null default now(),
  last_error      text,
  published_at    timestamptz,
  created_at      timestamptz not null default now()
) with (fillfactor = 80);
create index outbox_due on outbox (next_attempt_at) where published_at is null;
create index outbox_of_job on outbox (job_id);

-- What the dispatcher has taken in, once for each tenant and idempotency key, whatever SQS delivers again.
create table worker_inbox (
  tenant_id       text not null,
  idempotency_key text not null,
  message_id      uuid not null,
  message_type    text not null,
  job_id          uuid,
  request_hash    text not null check (request_hash ~ '^[0-9a-f]{64}$'),
  status          text not null
                  check (status in ('RECEIVED', 'PROCESSING', 'COMPLETED', 'FAILED_RETRYABLE', 'FAILED_TERMINAL')),
  attempts        integer not null default 0,
  lease_token     uuid,
  lease_until     timestamptz,
  outcome         text,
  deliveries      integer not null default 1,
  first_seen_at   timestamptz not null default now(),
  updated_at      timestamptz not null default now(),
  primary key (tenant_id, idempotency_key),
  constraint only_processing_holds_a_lease
    check ((status = 'PROCESSING') = (lease_token is not null and lease_until is not null))
) with (fillfactor = 80);

-- Messages that can never be worked on, kept whole with the reason, for a person.
create table quarantined_messages (
  quarantine_id  uuid primary key,
  queue          text not null,
  sqs_message_id text not null,
  body           text not null,
  attributes     jsonb not null,
  code           text not null,
  reason         text not null,
  receive_count  integer not null,
  first_seen_at  timestamptz not null default now(),
  last_seen_at   timestamptz not null default now(),
  resolution     text check (resolution in ('redriven', 'discarded')),
  resolved_at    timestamptz,
  resolved_by    text,
  constraint resolved_by_somebody check ((resolution is null) = (resolved_at is null and resolved_by is null)),
  unique (queue, sqs_message_id)
);

-- Intention before action: no provider is called before its row here is committed (docs/decisions/effect-log.md).
create table external_effects (
  effect_id          uuid primary key,
  tenant_id          text not null,
  effect_key         text not null,
  job_id             uuid not null,
  execution_name     text not null,
  redrive_count      integer not null,
  provider           text not null,
  operation          text not null,
  policy             text not null check (policy in ('repeat', 'lookup', 'hold')),
  status             text not null
                     check (status in ('INTENDED', 'CALLING', 'COMPLETED', 'REJECTED', 'UNKNOWN', 'ABANDONED')),
  request_hash       text not null check (request_hash ~ '^[0-9a-f]{64}$'),
  lease_token        uuid,
  lease_until        timestamptz,
  provider_reference text,
  response           jsonb,
  last_error         text,
  attempts           integer not null default 0,
  created_at         timestamptz not null default now(),
  updated_at         timestamptz not null default now(),
  completed_at       timestamptz,
  unique (tenant_id, effect_key),
  constraint only_calling_holds_a_lease
    check ((status = 'CALLING') = (lease_token is not null and lease_until is not null)),
  constraint completed_effects_say_when check ((status = 'COMPLETED') = (completed_at is not null))
);
create index external_effects_of_job on external_effects (job_id);
create index external_effects_held on external_effects (updated_at) where status = 'UNKNOWN';
