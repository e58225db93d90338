-- Completion webhooks are sent by a pool in which each receiver and each tenant has so many places and no more.

-- The host that is told, with its port; of webhooks only.
alter table outbox add column receiver text;

update outbox set receiver = coalesce(lower(substring(callback_url from '^[^:]+://(?:[^/?#@]*@)?([^/?#]+)')), '')
from jobs where jobs.job_id = outbox.job_id and destination = 'webhook' and published_at is null;

-- Not valid: what has been sent already has none, and looking would lock all rows.
alter table outbox add constraint webhooks_name_their_receiver
  check (destination <> 'webhook' or receiver is not null) not valid;

-- As in 0010, with the receiver, and the fence of the run that has ended: the effect log is told whose effect it is
-- also when the job has been redriven by then.
create or replace function announce_completion() returns trigger language plpgsql as $$
declare
  id uuid := gen_random_uuid();
begin
  insert into outbox (message_id, tenant_id, destination, message_type, job_id, receiver, envelope, traceparent)
  values (id, new.tenant_id, 'webhook', 'JobCompleted', new.job_id,
    coalesce(lower(substring(new.callback_url from '^[^:]+://(?:[^/?#@]*@)?([^/?#]+)')), ''), jsonb_build_object(
    'messageId', id, 'schemaVersion', 1, 'messageType', 'JobCompleted', 'producer', 'database',
    'occurredAt', to_char(now() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'idempotencyKey', 'callback:' || new.job_id || ':' || new.run,
    'aggregateType', 'job', 'aggregateId', new.job_id, 'causationId', null, 'correlationId', new.correlation_id,
    'attemptPolicy', jsonb_build_object('maxBusinessAttempts', 40, 'notBefore', null, 'retryableUntil', null,
                                        'terminalAfterCodes', '[]'::jsonb),
    'payload', jsonb_build_object('jobId', new.job_id, 'tenantId', new.tenant_id, 'type', new.type, 'run', new.run,
                                  'status', new.status, 'finishedAt', new.finished_at,
                                  'executionName', new.execution_name, 'redriveCount', new.redrive_count)),
    new.traceparent);
  return null;
end $$;
