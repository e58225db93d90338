-- Bulk redrives become bulk operations: jobs are cancelled the same way, and the list of jobs is collected page by page, so
-- that it may be of any length. The tables are renamed on purpose: a worker of the version before must not find a bulk
-- cancel, which it would redrive. While both versions run, only the newer one goes on with bulk operations.
alter table bulk_redrives rename to bulk_operations;
alter table bulk_redrive_jobs rename to bulk_operation_jobs;
alter index bulk_redrives_running rename to bulk_operations_running;
alter index bulk_redrive_jobs_waiting rename to bulk_operation_jobs_waiting;
alter table bulk_operations rename constraint ended_redrives_say_when to ended_bulk_operations_say_when;
alter table bulk_operations rename column redriven to done;
alter table bulk_operations
  add column operation text not null default 'redrive' check (operation in ('redrive', 'cancel')),
  -- Whether matching jobs are still being put on its list, and the place of the last one that was looked at.
  add column collecting boolean not null default false,
  add column collected_created_at timestamptz,
  add column collected_job_id uuid,
  alter column mode drop not null,
  alter column total set default 0,
  alter column ineligible set default '[]',
  add constraint redrives_have_a_mode check ((operation = 'redrive') = (mode is not null)),
  add constraint ended_bulk_operations_collect_nothing check (not collecting or ended_at is null);
alter table bulk_operations alter column operation drop default, alter column collecting set default true;
create index bulk_operations_collecting on bulk_operations (bulk_id) where collecting;
update bulk_operation_jobs set outcome = 'done' where outcome = 'redriven';

-- A page of them, oldest first, whatever else there is: what a bulk operation collects by.
create index jobs_redrivable on jobs (status, created_at, job_id) where status in ('FAILED', 'CANCELLED', 'EXPIRED');
