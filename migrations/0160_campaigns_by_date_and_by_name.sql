-- outside a transaction
-- The list of campaigns by the date that it shows, and by name.
create index concurrently if not exists campaign_by_date
  on campaign (workspace_id, (coalesce(scheduled_at, sent_at, updated_at)), id);
create index concurrently if not exists campaign_by_name on campaign (workspace_id, (lower(name)), id);
