-- outside a transaction
-- Resend's SDK reads an entry, and goes on after one, by its identifier.
create index concurrently if not exists suppression_by_id on suppression (workspace_id, id);
create index concurrently if not exists erased_suppression_by_id on erased_suppression (workspace_id, id);
