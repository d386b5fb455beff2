-- outside a transaction
-- 0068 makes these the keys of their tables.
create unique index concurrently if not exists campaign_run_newest on campaign_run (workspace_id, campaign_id, moved_at);
create unique index concurrently if not exists batch_sender_newest on batch_sender (workspace_id, campaign_id, id, moved_at);
create unique index concurrently if not exists request_rate_newest on request_rate (workspace_id, bucket, moved_at);

-- The keys of these stay, since the previous version inserts `on conflict` of them; the next version drops them. The expression keeps
-- the planner from looking a row up by its key, which leads to all versions.
create index concurrently if not exists provider_rate_newest on provider_rate ((provider || ''), moved_at);
create index concurrently if not exists quota_usage_newest on quota_usage ((workspace_id + 0), month, moved_at);
create index concurrently if not exists reputation_day_newest on reputation_day ((workspace_id + 0), epoch, day, moved_at);
