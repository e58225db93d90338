-- Each destination has a sweep of its own, which must not read past what waits for the others: after an hour without the
-- event bus its rows are all due, and older than every job request. While the old indexes stood the planner chose them.
create index outbox_due_by_destination on outbox (destination, next_attempt_at) where published_at is null;
drop index outbox_due;
drop index outbox_events_due;
