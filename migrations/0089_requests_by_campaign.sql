-- The calls that created or sent a campaign. The table came after the last release (0063), so it is empty where a release is
-- upgraded. Few calls have an entry.
create index request_log_of_campaign on request_log (workspace_id, campaign_id, id) where campaign_id is not null;
