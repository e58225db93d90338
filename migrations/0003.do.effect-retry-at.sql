-- A provider's Retry-After: attempts of the same run do not call again before it.
alter table external_effects add column retry_at timestamptz;
alter table external_effects add constraint only_intentions_wait
  check (retry_at is null or status = 'INTENDED');
