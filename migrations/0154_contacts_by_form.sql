-- outside a transaction
-- The contacts that came by a form, newest first, for how many came lately and how many of them confirmed.
create index concurrently if not exists subscriber_by_form
  on subscriber (workspace_id, form_id, created_at desc) where form_id is not null;
