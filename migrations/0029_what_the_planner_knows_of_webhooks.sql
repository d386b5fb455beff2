-- What 0022 taught of these tables was safe from being counted again only since 0024: who came in between found them empty.

insert into event (workspace_id, id, place, type, body, created_at)
select 0, gen_random_uuid(), -n, 'email.sent', '{}', facteur_now() from generate_series(1, 5000) n;
insert into webhook_delivery (workspace_id, webhook_id, event_id, type, status, is_leased, next_at, created_at)
select 0, (md5((place % 8)::text))::uuid, id, type, case when place % 10 = 0 then 'pending' when place % 50 = -1 then 'failed' else 'delivered' end,
  place % 20 = 0, case when place % 10 = 0 then created_at - place * interval '1 second' end, created_at
from event where workspace_id = 0;
analyze event, webhook_delivery;
delete from webhook_delivery where workspace_id = 0;
delete from event where workspace_id = 0;
