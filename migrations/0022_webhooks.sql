-- Webhooks as people look at them: why one is disabled, and what was not delivered among a great many that were.

alter table webhook
  -- Since when it has been disabled; null also where it was before anybody kept this.
  add column disabled_at timestamptz,
  -- `failing`: for days, as the workspace asked for; null: a person or a program did.
  add column disabled_because text check (disabled_because = 'failing');

-- What is delivered is most of a journal, and costs this index no more than its insertion.
create index webhook_delivery_undelivered on webhook_delivery (workspace_id, webhook_id, status, event_id) where status <> 'delivered';
