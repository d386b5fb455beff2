-- global tables only
-- A process of the previous version knows no approvals, and would send without one: it may not where the workspace demands them. The
-- rules, which come with the next file, stand beside the campaign, in the schema of its cell.
create function facteur_refuse_unapproved() returns trigger language plpgsql as $$
declare
  demanded boolean;
begin
  execute format('select exists (select from %I.approval_rule where workspace_id = $1 and operation = $2)', tg_table_schema)
    into demanded using new.workspace_id, 'campaign.send';
  if demanded then
    raise exception 'campaign % may need an approval, which this version of the service does not know', new.id
      using errcode = 'check_violation';
  end if;
  return new;
end $$;
