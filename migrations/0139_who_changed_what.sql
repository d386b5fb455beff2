-- The address of the member who last wrote the content: unlike `saved_by`, it stays when a program saves.
alter table campaign add column content_changed_by text;
-- The address of the member who last chose its topic; `audience_changed_by` is of its audience alone.
alter table campaign add column topic_changed_by text;
-- The address of the member who last wrote its definition.
alter table segment add column changed_by text;
-- The `reopened_at` whose approval was compared. A process that knows no approvals writes another, and may not send again either.
alter table campaign add column reopening_checked_at timestamptz;
create trigger campaign_reopening before update of status on campaign for each row
  when (new.status = 'sending' and old.status = 'sent' and new.reopening_checked_at is distinct from new.reopened_at)
  execute function facteur_refuse_unapproved();
