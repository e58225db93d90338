-- A PENDING job whose message is not sent again by itself any more: it lies in the dead-letter queue or in quarantine,
-- or was sent again in vain as often as it may be. It waits for a person (docs/runbooks/stuck-jobs.md).
alter table outbox add column resends integer not null default 0;

alter table jobs add column held_since timestamptz;
alter table jobs add column held_because text;
-- Not valid: there is nothing to look for in the rows that stand already, and looking would lock them all.
alter table jobs add constraint held_jobs_say_why check ((held_since is null) = (held_because is null)) not valid;
create index jobs_held on jobs (held_since) where held_since is not null and status = 'PENDING';

-- Which job and which request of it a quarantined message is about, where its body still tells.
alter table quarantined_messages add column job_id uuid;
alter table quarantined_messages add column idempotency_key text;
create index quarantined_messages_of_job on quarantined_messages (job_id) where job_id is not null and resolution is null;

-- The answers that providers still owe, the oldest first; GET /ops/stuck looks for those of RUNNING jobs.
create index callbacks_waiting on callbacks (created_at) where answered_at is null and settled_at is null;
