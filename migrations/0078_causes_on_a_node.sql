-- On a node of a cluster, a table's name ends with a number (docs/decisions/0060-cells.md). campaign_recipient has partitions.
create or replace function facteur_note_cause() returns trigger language plpgsql as $$
begin
  if tg_table_name like 'recipient%' then
    update recipient set cause = facteur_failure_cause(new.error)
    where workspace_id = new.workspace_id and message_id = new.message_id and position = new.position;
  else
    update campaign_recipient set cause = facteur_failure_cause(new.error)
    where workspace_id = new.workspace_id and campaign_id = new.campaign_id and subscriber_id = new.subscriber_id;
  end if;
  return null;
end $$;
