-- Jobs of one ordering key run one at a time, in the order of their accepted_no. A row stands here while a job of
-- the key has been made due and has not let the key go; who changes the key holds this row's lock.
create table ordering_keys (
  tenant_id    text not null,
  ordering_key text not null,
  current_job  uuid not null,
  primary key (tenant_id, ordering_key)
);
create unique index ordering_keys_current_job on ordering_keys (current_job);

-- Whether a FAILED job keeps its key until it succeeds by redrive or is cancelled (the job type says).
alter table jobs add column failure_blocks_key boolean not null default true;

create index jobs_waiting_in_order on jobs (tenant_id, ordering_key, accepted_no)
  where ordering_key is not null and status = 'PENDING';
