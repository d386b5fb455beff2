-- When a contact last received a campaign's mail, opened one and clicked in one: it outlives the details. No row: never.
create table subscriber_engagement (
  workspace_id bigint not null,
  subscriber_id uuid not null,
  -- A mail was handed off, whatever bounce followed.
  received_at timestamptz,
  -- Also through a privacy relay; the second without one.
  opened_at timestamptz,
  opened_directly_at timestamptz,
  clicked_at timestamptz,
  primary key (workspace_id, subscriber_id)
) with (fillfactor = 70, autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_insert_threshold = 20000, autovacuum_analyze_threshold = 20000);
-- Of its hand-offs: how many `subscriber_engagement` has. While it is not all of them, or null, readers ask the details too.
alter table campaign add column receipts_stored bigint;
