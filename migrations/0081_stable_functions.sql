-- Both are STABLE: their answer is the same all through a statement. Citus takes no volatile function in UPDATE, CASE and
-- COALESCE, nor in the WHERE of ON CONFLICT (docs/decisions/0061-statements-for-a-cluster.md).

-- The one clock of every statement: when the statement arrived. It is inlined, so that it costs what statement_timestamp() costs.
create or replace function facteur_now() returns timestamptz
  language sql stable parallel safe
  return statement_timestamp();

create or replace function facteur_refuse(reason text) returns boolean
  language plpgsql stable as $$
begin
  raise exception using errcode = 'FA001', message = reason;
end $$;
