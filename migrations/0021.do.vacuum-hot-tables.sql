-- A job is updated eight times and an outbox or inbox row two or three; by PostgreSQL's defaults a table of 1,000,000 rows
-- gathers 200,000 dead ones before it is vacuumed. These come when a hundredth has changed, and without long pauses.
-- https://www.postgresql.org/docs/current/runtime-config-vacuum.html
alter table jobs set (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000,
                      autovacuum_analyze_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 1);
alter table outbox set (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000,
                        autovacuum_analyze_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 1);
alter table worker_inbox set (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000,
                              autovacuum_analyze_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 1);
-- Rows are only added and, by retention, removed: visited so that the visibility map is kept and a freeze is no surprise.
alter table job_events set (autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);
