-- Due completions are looked for receiver by receiver: what waits for one that hangs, a million rows or more, is not walked
-- through to find the others'. A row is here from the end of its job until it was told, so the index stays small.
create index outbox_completions_due on outbox (tenant_id, receiver, next_attempt_at)
  where published_at is null and destination = 'webhook';
