-- By which tag a job is found: a row `name` and a row `name:value` for each. An index that ends with the place of the
-- job gives the newest first without sorting; over jsonb a common tag took 200 ms to find among 1,000,000 jobs.
create table job_tags (
  tenant_id  text not null,
  tag        text not null,
  created_at timestamptz not null,
  job_id     uuid not null references jobs on delete cascade,
  primary key (tenant_id, tag, created_at, job_id)
);
create index job_tags_of_all on job_tags (tag, created_at, job_id);
create index job_tags_of_job on job_tags (job_id);

insert into job_tags (tenant_id, tag, created_at, job_id)
select tenant_id, tag, created_at, job_id
from jobs, jsonb_each_text(tags) as pair (name, value), unnest(array[name, name || ':' || value]) as tag;

drop index jobs_by_tag;
