-- As 0023, but what a request's hash may hold is asked without a regular expression: PostgreSQL builds an automaton of 64 states
-- for it anew with every row, which was a fifteenth of a submit's time in the database.
create or replace function check_job() returns trigger language plpgsql as $$
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
    when length(new.request_hash) <> 64 or ltrim(new.request_hash, '0123456789abcdef') <> ''
      then 'jobs_request_hash_check'
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
