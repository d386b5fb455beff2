-- outside a transaction
-- The list of suppressed addresses by reason, newest first, and how many each reason has.
create index concurrently if not exists suppression_by_reason
  on suppression (workspace_id, reason, created_at desc, id desc);
create index concurrently if not exists erased_suppression_by_reason
  on erased_suppression (workspace_id, reason, created_at desc, id desc);
