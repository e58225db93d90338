-- What a row of jobs must keep, asked where a column of it is written and not at every write: PostgreSQL reads and compiles a
-- CHECK anew in each statement that writes the table, whatever columns it sets. Ten of them took two thirds of an update of
-- a job's progress (docs/decisions/checks-by-trigger.md). The names are those of the constraints before.
-- At once, for it is needed in the end: a lock that is raised halfway may wait for who waits for us.
lock table jobs in access exclusive mode;

create function check_job() returns trigger language plpgsql as $$
declare
  broken constant text := case
    when new.status not in ('PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELLED', 'EXPIRED')
      then 'jobs_status_check'
    when (new.status in ('SUCCEEDED', 'FAILED', 'CANCELLED', 'EXPIRED')) <> (new.finished_at is not null)
      then 'final_jobs_are_finished'
    when (new.status = 'FAILED') <> (new.failure is not null) then 'failed_jobs_say_why'
    when new.result is not null and new.status <> 'SUCCEEDED' then 'only_success_has_a_result'
    when (new.held_since is null) <> (new.held_because is null) then 'held_jobs_say_why'
    when new.run < 1 then 'jobs_run_check'
    when new.redrive_count < 0 then 'jobs_redrive_count_check'
    when new.request_hash !~ '^[0-9a-f]{64}$' then 'jobs_request_hash_check'
    when jsonb_typeof(new.tags) <> 'object' then 'jobs_tags_check'
    when new.stoppable not in ('until-final', 'until-started') then 'jobs_stoppable_check'
  end;
begin
  if broken is not null then
    raise check_violation using constraint = broken, table = 'jobs',
      message = format('new row for relation "jobs" violates check constraint "%s"', broken);
  end if;
  return new;
end $$;

create trigger jobs_hold_together
  before insert or update of status, finished_at, failure, result, held_since, held_because, run, redrive_count,
                             request_hash, tags, stoppable on jobs
  for each row execute function check_job();

-- contract: nothing since migration 1 uses the constraints; what they refused is refused by the trigger.
alter table jobs
  drop constraint jobs_status_check, drop constraint final_jobs_are_finished, drop constraint failed_jobs_say_why,
  drop constraint only_success_has_a_result, drop constraint held_jobs_say_why, drop constraint jobs_run_check,
  drop constraint jobs_redrive_count_check, drop constraint jobs_request_hash_check, drop constraint jobs_tags_check,
  drop constraint jobs_stoppable_check;
