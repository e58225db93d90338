-- How jobs are found: newest first within a tenant, by one filter each; and the newest of all tenants for operators.
-- Failure messages are searched by any part of them, by trigrams (pg_trgm comes with PostgreSQL and RDS).
create extension if not exists pg_trgm;
create index jobs_newest_of_all on jobs (created_at desc, job_id desc);
create index jobs_by_status on jobs (tenant_id, status, created_at desc, job_id desc);
create index jobs_by_type on jobs (tenant_id, type, created_at desc, job_id desc);
create index jobs_by_failure on jobs (tenant_id, (failure ->> 'code'), created_at desc, job_id desc)
  where status = 'FAILED';
create index jobs_by_failure_text on jobs using gin ((failure ->> 'message') gin_trgm_ops)
  where status = 'FAILED';
create index jobs_by_tag on jobs using gin (tags) where tags <> '{}';

-- What a tenant may have and do; null is no limit.
alter table tenants
  add column max_open_jobs integer check (max_open_jobs >= 0),
  add column requests_per_minute integer check (requests_per_minute > 0);
