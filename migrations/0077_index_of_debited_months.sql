-- outside a transaction
-- Months that were debited, the newest version of each workspace's row at its end (docs/decisions/0052). It takes the place of an index by
-- month alone, which led to all versions of all rows of the month.
create index concurrently if not exists quota_usage_debited on quota_usage (month, (workspace_id + 0), moved_at);
drop index concurrently if exists quota_usage_month;
