-- How many contacts have each status, as changes that add up: one row that all count in would be waited for. Those of one day and status
-- are folded; a day of long ago has no more to say.
create table subscriber_status_tally (
  workspace_id bigint not null,
  id uuid not null default gen_random_uuid(),
  status text not null,
  -- Of the change, by UTC; null: before the days that the pages show.
  day date,
  change bigint not null,
  primary key (workspace_id, id)
) with (autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_insert_threshold = 20000, autovacuum_analyze_threshold = 20000);
create trigger subscriber_added after insert on subscriber
  referencing new table as changed for each statement execute function facteur_tally_statuses();
create trigger subscriber_removed after delete on subscriber
  referencing old table as changed for each statement execute function facteur_tally_statuses();
create trigger subscriber_status_changed after update of status on subscriber
  for each row when (old.status <> new.status) execute function facteur_tally_status_change();
