-- Opens and clicks: what each was made with, what it counts for, and how silence is waited for.

alter table visit
  add column device text not null default 'Unknown',
  add column os text not null default 'Unknown',
  add column client text not null default 'Unknown';
create index visit_of_message on visit (workspace_id, message_id, recipient_position) where message_id is not null;

-- What said that it was delivered: feedback, silence, an open or a click.
alter table campaign_recipient add column delivered_by text;

-- Of single messages that asked to be tracked.
alter table recipient add column opened_at timestamptz, add column clicked_at timestamptz;

-- Where the walk stands that takes silence for delivery, of campaigns whose provider gives no news (db/campaign-silence.ts).
create table campaign_silence (
  workspace_id bigint not null,
  campaign_id uuid not null,
  walked_to uuid not null default '00000000-0000-0000-0000-000000000000',
  next_at timestamptz not null,
  -- Whether another round follows this one.
  again boolean not null default false,
  primary key (workspace_id, campaign_id)
);
create index campaign_silence_next on campaign_silence (workspace_id, next_at);

-- How often a campaign was counted anew: two who do it at once do not mend twice.
create table campaign_recount (
  workspace_id bigint not null,
  campaign_id uuid not null,
  round integer not null,
  primary key (workspace_id, campaign_id)
);

-- Which of the five of progress a row of the frozen list is counted in.
create function campaign_place(state text, status text, sent_at timestamptz) returns text
language sql immutable parallel safe
return case when state in ('pending', 'leased') then 'pending' when state = 'in_doubt' then 'in_doubt'
            when sent_at is not null then 'sent' when status = 'suppressed' then 'suppressed' else 'failed' end;

-- What each recipient's opens and clicks count for: the definition that recounting uses, and that counting as they come must
-- equal. Scanners count for nothing; a click is an open too; the first open that counts decides window, device and relay.
create view campaign_visit_count as
select seen.workspace_id, seen.campaign_id, seen.subscriber_id, t.measure, t.label
from (
  select v.*, row_number() over own as nth,
    row_number() over (partition by v.workspace_id, v.campaign_id, v.subscriber_id, v.kind order by v.at, v.id) as nth_of_kind
  from visit v
  where v.campaign_id is not null and v.visitor <> 'scanner'
  window own as (partition by v.workspace_id, v.campaign_id, v.subscriber_id order by v.at, v.id)
) seen
join campaign c on c.workspace_id = seen.workspace_id and c.id = seen.campaign_id
cross join lateral (select extract(epoch from seen.at - c.sent_at) / 21600 as window_of) w
cross join lateral (values
  ('opened', '', nth = 1),
  ('relayed', '', nth = 1 and visitor = 'relay'),
  ('opened_in', floor(window_of)::int::text, nth = 1 and window_of >= 0 and window_of < 8),
  ('device', device, nth = 1),
  ('os', os, nth = 1),
  ('client', client, nth = 1),
  ('clicked', '', kind = 'click' and nth_of_kind = 1),
  ('clicked_in', floor(window_of)::int::text, kind = 'click' and nth_of_kind = 1 and window_of >= 0 and window_of < 8),
  ('link', link_position::text, kind = 'click')
) t (measure, label, counts)
where t.counts;

-- What the planner knows before there is anything to know, as in 0002: a campaign has thousands of visits, a recipient few.
insert into visit (workspace_id, id, campaign_id, subscriber_id, message_id, recipient_position, kind, visitor, user_agent, at)
select 0, gen_random_uuid(), case when n % 10 > 0 then ('00000000-0000-0000-0000-' || lpad((n % 3)::text, 12, '0'))::uuid end,
  case when n % 10 > 0 then gen_random_uuid() end, case when n % 10 = 0 then gen_random_uuid() end, 0, 'open', 'person', '', facteur_now()
from generate_series(1, 5000) n;

insert into campaign_tally (workspace_id, campaign_id, measure, label, count)
select 0, ('00000000-0000-0000-0000-' || lpad((n % 100)::text, 12, '0'))::uuid, 'link', n::text, n from generate_series(1, 5000) n;

insert into campaign_link (workspace_id, campaign_id, position, url)
select 0, ('00000000-0000-0000-0000-' || lpad((n % 500)::text, 12, '0'))::uuid, n / 500, '' from generate_series(1, 5000) n;

analyze visit, campaign_tally, campaign_link;
delete from campaign_link;
delete from campaign_tally;
delete from visit;

do $$ declare name text; begin
  foreach name in array array['visit', 'campaign_tally', 'campaign_link'] loop
    execute format('alter table %I set (autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_insert_threshold = 20000, '
                   'autovacuum_analyze_threshold = 20000)', name);
  end loop;
end $$;
