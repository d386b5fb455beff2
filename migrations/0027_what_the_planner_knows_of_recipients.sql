-- What the planner knows of the tables that were given an index by 0026, taught again as by 0024 after 0021.

insert into visit (workspace_id, id, campaign_id, subscriber_id, message_id, recipient_position, kind, visitor, user_agent, at)
select 0, gen_random_uuid(), case when n % 10 > 0 then ('00000000-0000-0000-0000-' || lpad((n % 3)::text, 12, '0'))::uuid end,
  case when n % 10 > 0 then gen_random_uuid() end, case when n % 10 = 0 then gen_random_uuid() end, 0,
  case when n % 4 = 0 then 'click' else 'open' end, 'person', '', facteur_now()
from generate_series(1, 5000) n;

insert into campaign_recipient (workspace_id, campaign_id, subscriber_id, email, state, status, leased_until, next_at, unsubscribed_at)
select 0, ('00000000-0000-0000-0000-' || lpad((n % 5)::text, 12, '0'))::uuid, gen_random_uuid(), n::text,
  (array['pending', 'leased', 'in_doubt', 'settled'])[1 + n % 4],
  (array['queued', 'sent', 'delivered', 'bounced', 'complained', 'failed', 'suppressed'])[1 + n % 7], facteur_now(),
  case when n % 3 = 0 then facteur_now() end, case when n % 11 = 0 then facteur_now() end
from generate_series(1, 7500) n;

analyze visit, campaign_recipient;

delete from campaign_recipient where workspace_id = 0;
delete from visit where workspace_id = 0;
