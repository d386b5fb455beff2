-- Webhooks as people look at them: why one is disabled, and what was not delivered among a great many that were.

alter table webhook
  -- Since when it has been disabled; null also where it was before anybody kept this.
  add column disabled_at timestamptz,
  -- `failing`: for days, as the workspace asked for; null: a person or a program did.
  add column disabled_because text check (disabled_because = 'failing');

-- Making an index of an empty table tells the planner that it is empty (0021). It is taught anew, as 0009 does: a journal
-- is long, some of it is under way, and a few entries are found by their keys.
insert into event (workspace_id, id, place, type, body, created_at)
select 0, gen_random_uuid(), -n, 'email.sent', '{}', facteur_now() from generate_series(1, 5000) n;
insert into webhook_delivery (workspace_id, webhook_id, event_id, type, status, is_leased, next_at, created_at)
select 0, (md5((place % 8)::text))::uuid, id, type, case when place % 10 = 0 then 'pending' when place % 50 = -1 then 'failed' else 'delivered' end,
  place % 20 = 0, case when place % 10 = 0 then created_at - place * interval '1 second' end, created_at
from event where workspace_id = 0;
analyze event, webhook_delivery;
delete from webhook_delivery where workspace_id = 0;
delete from event where workspace_id = 0;
