-- Completion webhooks: what a client's callback.url is told when its job is final.

-- With what they are signed (Standard Webhooks, whsec_…). After a rotation both secrets sign until the old one expires.
create table webhook_secrets (
  secret_id  uuid primary key default gen_random_uuid(),
  tenant_id  text not null,
  secret     text not null check (secret ~ '^whsec_'),
  created_at timestamptz not null default now(),
  expires_at timestamptz
);
create unique index webhook_secrets_current on webhook_secrets (tenant_id) where expires_at is null;

-- The message is written in the transaction that makes the job final, whichever statement that is (a task's success,
-- an execution's event, a cancel, an expiry): one trigger sees them all, and no writer can forget it.
create function announce_completion() returns trigger language plpgsql as $$
declare
  id uuid := gen_random_uuid();
begin
  insert into outbox (message_id, tenant_id, destination, message_type, job_id, envelope, traceparent)
  values (id, new.tenant_id, 'webhook', 'JobCompleted', new.job_id, jsonb_build_object(
    'messageId', id, 'schemaVersion', 1, 'messageType', 'JobCompleted', 'producer', 'database',
    'occurredAt', to_char(now() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'idempotencyKey', 'callback:' || new.job_id || ':' || new.run,
    'aggregateType', 'job', 'aggregateId', new.job_id, 'causationId', null, 'correlationId', new.correlation_id,
    'attemptPolicy', jsonb_build_object('maxBusinessAttempts', 40, 'notBefore', null, 'retryableUntil', null,
                                        'terminalAfterCodes', '[]'::jsonb),
    'payload', jsonb_build_object('jobId', new.job_id, 'tenantId', new.tenant_id, 'type', new.type, 'run', new.run,
                                  'status', new.status, 'finishedAt', new.finished_at)), new.traceparent);
  return null;
end $$;

create trigger jobs_announce_completion after update of status on jobs
for each row when (new.callback_url is not null and new.finished_at is not null and old.status <> new.status)
execute function announce_completion();
