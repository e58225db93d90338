-- What tenants have used of their limits, counted over all API processes. Unlogged: a commit that writes nothing else
-- waits for no disk, and what a crash of the server takes away is a minute old at most.

-- The place that a submit takes among its tenant's open jobs before its job is stored. It is void once the job is there,
-- or a minute later, when the submit has long been answered.
create unlogged table open_job_places (
  job_id    uuid primary key,
  tenant_id text not null,
  taken_at  timestamptz not null default clock_timestamp()
);
create index open_job_places_of_tenant on open_job_places (tenant_id);

-- Gives whether there is a place left, and takes it. Submits of one tenant go through here one after the other, so each
-- counts what those before it have taken: as a statement of its own a volatile function sees what was committed while it
-- waited for the lock.
create function take_open_job_place(of_tenant text, for_job uuid, most integer) returns boolean
language plpgsql volatile as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('open-jobs ' || of_tenant, 0));
  delete from open_job_places as place
  where tenant_id = of_tenant
    and (taken_at < clock_timestamp() - interval '1 minute'
         or exists (select from jobs where jobs.job_id = place.job_id));
  if (
    select count(*) from (
      (select from jobs where tenant_id = of_tenant and status in ('PENDING', 'RUNNING') limit most)
      union all
      (select from open_job_places where tenant_id = of_tenant limit most)
    ) as taken
  ) >= most then
    return false;
  end if;
  insert into open_job_places (job_id, tenant_id) values (for_job, of_tenant);
  return true;
end $$;

-- Requests of a tenant with a limit, by the minute they came in.
create unlogged table request_counts (
  tenant_id text not null,
  minute_at timestamptz not null,
  used      integer not null,
  primary key (tenant_id, minute_at)
);
create index request_counts_by_minute on request_counts (minute_at);
