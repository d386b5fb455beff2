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

call facteur_partition('audit_log', 'id');
