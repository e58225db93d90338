-- Events for others, and what the built-in subscribers keep.

-- What a handler has done with an event; once each, however often it is delivered.
create table event_inbox (
  event_id   uuid not null,
  handler    text not null,
  outcome    text not null,
  handled_at timestamptz not null default now(),
  primary key (event_id, handler)
);
create index event_inbox_by_age on event_inbox using brin (handled_at) with (autosummarize = on);

-- The search projection: documents and orders as the newest event about each says. May be emptied and built anew.
create table search_entries (
  tenant_id  text not null,
  kind       text not null check (kind in ('document', 'order')),
  entity_id  text not null,
  -- Of the aggregate: an older event that comes later changes nothing.
  version    bigint not null,
  words      text not null,
  facts      jsonb not null,
  event_id   uuid not null,
  updated_at timestamptz not null default now(),
  primary key (tenant_id, kind, entity_id)
);
create index search_entries_by_words on search_entries using gin (words gin_trgm_ops);
create index search_entries_newest on search_entries (tenant_id, updated_at desc, entity_id);

create index outbox_events_due on outbox (next_attempt_at) where published_at is null and destination = 'event-bus';

-- job.succeeded, job.failed, job.cancelled, job.expired: written with the status, whichever statement writes it
-- (jobs/events/catalogue.ts has their shape; a test holds the two together).
create function announce_job_event() returns trigger language plpgsql as $$
declare
  id uuid := gen_random_uuid();
begin
  insert into outbox (message_id, tenant_id, destination, message_type, job_id, envelope, traceparent)
  values (id, new.tenant_id, 'event-bus', 'job.' || lower(new.status), new.job_id, jsonb_build_object(
    'eventId', id, 'type', 'job.' || lower(new.status), 'version', 1,
    'occurredAt', to_char(now() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'tenantId', new.tenant_id,
    'aggregate', jsonb_build_object('type', 'job', 'id', new.job_id, 'version', new.revision),
    'correlationId', new.correlation_id, 'causationId', new.execution_name, 'producer', 'pawl',
    'data', jsonb_build_object('jobId', new.job_id, 'type', new.type, 'run', new.run)
      || case when new.status = 'FAILED' then jsonb_build_object('code', new.failure ->> 'code',
           'retryable', (new.failure ->> 'retryable')::boolean, 'state', new.failure ->> 'state') else '{}' end),
    new.traceparent);
  return null;
end $$;

create trigger jobs_announce_event after update of status on jobs
for each row when (new.finished_at is not null and old.status <> new.status)
execute function announce_job_event();
