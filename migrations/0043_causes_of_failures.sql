-- Why a recipient failed is a value; until now it was the beginning of an English sentence in `error`, which stays as it is shown.
-- The values are in src/db/sending/failure-causes.ts (docs/decisions/0041).

-- The cause that a text of the versions before stands for. The next version drops it, with the triggers.
create function facteur_failure_cause(error text) returns text
language sql immutable parallel safe
return case when error is null then null
            when error in ('cancelled', 'erased') then error
            when error like 'suppressed: %' then 'suppressed'
            when error like 'parked: %' then 'parked'
            when error like 'gave up after the last temporary refusal: %' then 'spent'
            when error like 'in doubt: %' then 'doubt_ended'
            else 'refused' end;

create function facteur_note_cause() returns trigger
  language plpgsql as $$
begin
  if tg_table_name = 'recipient' then
    update recipient set cause = facteur_failure_cause(new.error)
    where workspace_id = new.workspace_id and message_id = new.message_id and position = new.position;
  else
    update campaign_recipient set cause = facteur_failure_cause(new.error)
    where workspace_id = new.workspace_id and campaign_id = new.campaign_id and subscriber_id = new.subscriber_id;
  end if;
  return null;
end $$;

alter table recipient add column cause text;
alter table campaign_recipient add column cause text;

-- Processes of the version before write the text alone, while both versions run.
create trigger recipient_cause after update of error on recipient
  for each row when (new.error is distinct from old.error and new.cause is not distinct from old.cause)
  execute function facteur_note_cause();
create trigger campaign_recipient_cause after update of error on campaign_recipient
  for each row when (new.error is distinct from old.error and new.cause is not distinct from old.cause)
  execute function facteur_note_cause();
