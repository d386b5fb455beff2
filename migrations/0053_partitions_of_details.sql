-- outside a transaction
-- Captured mail, events with their deliveries, what is known of each delivery and of a campaign's recipients, and the audit log, by the time in
-- the identifier that leads each of them.
call facteur_partition('captured_mail', 'id');

-- A sequence gives places, so that each is unique by itself.
create index concurrently if not exists event_in_order on event (workspace_id, place);
call facteur_partition('event', 'id');
call facteur_partition('webhook_delivery', 'event_id');

call facteur_partition('engagement', 'id');
call facteur_partition('deferral', 'mail_id');
call facteur_partition('campaign_failure', 'campaign_id');
call facteur_partition('campaign_recipient', 'campaign_id');

-- Like the other partitioned tables, the audit log has no foreign key: dropping a partition would lock the workspaces. Waits are
-- shorter than a second, after which PostgreSQL might end a statement of the service as a deadlock.
do $$ begin
  if exists (select from pg_constraint where conrelid = 'audit_log'::regclass and conname = 'audit_log_workspace_id_fkey') then
    perform set_config('lock_timeout', '500ms', true);
    lock table workspace in access exclusive mode;
    alter table audit_log drop constraint audit_log_workspace_id_fkey;
  end if;
end $$;
call facteur_partition('audit_log', 'id');
