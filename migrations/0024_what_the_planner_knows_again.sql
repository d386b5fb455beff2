-- What the planner knows of tables that were given an index by 0021: making one of an empty table tells it that the table is empty,
-- so they are taught again as in 0003, 0004, 0006 and 0009.
-- Of messages there are more than then: their indexes still hold what was taken away, and must look worth it.

insert into plan (name) values ('');
insert into workspace (id, slug, name, plan, created_at) values (0, '', '', '', facteur_now());

insert into message (workspace_id, id, head, subject, tags, message_id, created_at, quota_month)
select 0, gen_random_uuid(), '{}', '', jsonb_build_object('n', n), n::text, facteur_now() + n * interval '1 second', '2000-01-01'
from generate_series(1, 15000) n;

insert into recipient (workspace_id, message_id, position, kind, email, address_key, status, state, lane, next_at, sent_at, troubles)
select 0, id, 0, 'to', message_id, message_id,
  (array['queued', 'sent', 'delivered', 'bounced', 'complained', 'failed'])[1 + message_id::int % 6],
  (array['pending', 'leased', 'in_doubt', 'settled'])[1 + message_id::int % 4],
  'transactional', created_at, created_at, message_id::int % 3
from message where workspace_id = 0;

insert into campaign (workspace_id, id, name, subject, format, source, status, created_at, updated_at)
select 0, gen_random_uuid(), '', '', 'text', '{}', (array['draft', 'scheduled', 'sending', 'sent', 'archived'])[1 + n % 5], facteur_now(), facteur_now()
from generate_series(1, 1000) n;

insert into visit (workspace_id, id, campaign_id, subscriber_id, message_id, recipient_position, kind, visitor, user_agent, at)
select 0, gen_random_uuid(), case when n % 10 > 0 then ('00000000-0000-0000-0000-' || lpad((n % 3)::text, 12, '0'))::uuid end,
  case when n % 10 > 0 then gen_random_uuid() end, case when n % 10 = 0 then gen_random_uuid() end, 0, 'open', 'person', '', facteur_now()
from generate_series(1, 5000) n;

insert into campaign_recipient (workspace_id, campaign_id, subscriber_id, email, state, status, leased_until, next_at)
select 0, c.id, gen_random_uuid(), n::text, (array['pending', 'leased', 'in_doubt', 'settled'])[1 + n % 4],
  (array['queued', 'sent', 'delivered', 'bounced', 'complained', 'failed', 'suppressed'])[1 + n % 7], facteur_now(), case when n % 3 = 0 then facteur_now() end
from generate_series(1, 1500) n cross join (select id from campaign where workspace_id = 0 order by id limit 5) c;

insert into subscriber_search (workspace_id, subscriber_id, haystack, grams, traits)
select 0, gen_random_uuid(), n::text, array[n, 5000 + n % 10, 6000], array[n % 50] from generate_series(1, 5000) n;

analyze subscriber_search, message, recipient, campaign, campaign_recipient, visit;

delete from subscriber_search where workspace_id = 0;
delete from campaign_recipient where workspace_id = 0;
delete from visit where workspace_id = 0;
delete from campaign where workspace_id = 0;
delete from recipient where workspace_id = 0;
delete from message where workspace_id = 0;
delete from workspace where id = 0;
delete from plan where name = '';

-- What was taught must not look like much that was deleted, or it is counted again, and forgotten, within a minute.
do $$ declare name text; begin
  foreach name in array array['message', 'recipient', 'campaign_recipient'] loop
    execute format('alter table %I set (autovacuum_vacuum_threshold = 60000, autovacuum_vacuum_insert_threshold = 60000, '
                   'autovacuum_analyze_threshold = 60000)', name);
  end loop;
  foreach name in array array['event', 'webhook_delivery'] loop
    execute format('alter table %I set (autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_insert_threshold = 20000, '
                   'autovacuum_analyze_threshold = 20000)', name);
  end loop;
end $$;
