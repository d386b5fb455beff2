-- Campaigns, their ledger, and what came of them.

create table campaign (
  workspace_id bigint not null,
  id uuid not null,
  name text not null,
  subject text not null,
  preheader text,
  from_name text,
  -- Null: a draft that waits for a sender.
  from_email text,
  -- In which of three ways it was written: text, content (blocks), html.
  format text not null check (format in ('text', 'content', 'html')),
  source json not null,
  status text not null check (status in ('draft', 'scheduled', 'sending', 'sent', 'archived')),
  scheduled_at timestamptz,
  -- Of a campaign that is sending: why and since when it stands still.
  paused_at timestamptz,
  pause_reason text,
  -- Nothing is handed over before.
  held_until timestamptz,
  -- The list was frozen, the hand-off began, nothing is left to hand over.
  frozen_at timestamptz,
  sent_at timestamptz,
  completed_at timestamptz,
  canceled_at timestamptz,
  -- When failed ones were last tried again, or doubtful ones released: they have a queue life of their own.
  reopened_at timestamptz,
  -- As it leaves, with slots for what is personal (mail/campaign-template.ts); null while a draft.
  compiled json,
  track_opens boolean not null default true,
  track_clicks boolean not null default true,
  -- The month that was debited.
  quota_month date,
  -- How many are handed over first and judged, and how long their news is waited for.
  canary_size integer,
  canary_seconds integer,
  -- Why it went back to draft by itself.
  notice text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (workspace_id, id)
);
create index campaign_status on campaign (workspace_id, status, id);

-- The ledger of campaigns: one row per frozen person is the line, the job and the status.
create table campaign_recipient (
  workspace_id bigint not null,
  campaign_id uuid not null,
  subscriber_id uuid not null,
  -- The address as it was frozen, lower-cased.
  email text not null,
  state text not null default 'pending' check (state in ('pending', 'leased', 'in_doubt', 'settled')),
  status text not null default 'queued' check (status in ('queued', 'sent', 'delivered', 'bounced', 'complained', 'failed', 'suppressed')),
  fence integer not null default 0,
  attempts smallint not null default 0,
  troubles smallint not null default 0,
  leased_until timestamptz,
  -- Only of those that left the straight way: when they are looked at again.
  next_at timestamptz,
  error text,
  response text,
  sent_at timestamptz,
  delivered_at timestamptz,
  opened_at timestamptz,
  clicked_at timestamptz,
  unsubscribed_at timestamptz,
  primary key (workspace_id, campaign_id, subscriber_id)
) with (fillfactor = 50);
create index campaign_recipient_stray on campaign_recipient (workspace_id, campaign_id, next_at) where next_at is not null;

-- One small row per campaign: where the walk through the frozen list stands, and what the ledger adds up to. Whoever changes
-- the state of a recipient locks this row first (docs/decisions/0008).
create table campaign_progress (
  workspace_id bigint not null,
  campaign_id uuid not null,
  -- The frozen list is walked in the order of its key, up to the last: behind the walk everybody was claimed once.
  walked_to uuid not null default '00000000-0000-0000-0000-000000000000',
  last_id uuid not null,
  -- Up to here nobody is leased any more, but for strays.
  low_water uuid not null default '00000000-0000-0000-0000-000000000000',
  -- Nobody is claimed before; infinity while it is paused.
  opens_at timestamptz not null,
  -- How many may be claimed until the first ones are judged; null: no limit.
  canary_left bigint,
  -- When the first ones are judged: once their news had time to come.
  canary_judged_at timestamptz,
  recipients bigint not null,
  pending bigint not null,
  sent bigint not null default 0,
  failed bigint not null default 0,
  suppressed bigint not null default 0,
  in_doubt bigint not null default 0,
  -- Hand-offs that a provider answered for good, and how many of them the reputation has counted.
  handed_over bigint not null default 0,
  counted bigint not null default 0,
  -- Of failed and suppressed: how many were given back to the quota.
  given_back bigint not null default 0,
  -- What a person looked at and let go on: the rates in flight are judged from here.
  judged_hand_offs bigint not null default 0,
  judged_bounces bigint not null default 0,
  judged_complaints bigint not null default 0,
  primary key (workspace_id, campaign_id)
) with (fillfactor = 20);

-- What is counted of a campaign, so that statistics need not read its rows: delivered, opened, window, device, link…
create table campaign_tally (
  workspace_id bigint not null,
  campaign_id uuid not null,
  measure text not null,
  label text not null,
  count bigint not null,
  primary key (workspace_id, campaign_id, measure, label)
) with (fillfactor = 50);

-- The links of a campaign in the order of its text: a click names one by its position, never by an address.
create table campaign_link (
  workspace_id bigint not null,
  campaign_id uuid not null,
  position smallint not null,
  url text not null,
  primary key (workspace_id, campaign_id, position)
);

-- Each open and click, as it was seen.
create table visit (
  workspace_id bigint not null,
  id uuid not null,
  campaign_id uuid,
  subscriber_id uuid,
  message_id uuid,
  recipient_position smallint,
  kind text not null check (kind in ('open', 'click')),
  link_position smallint,
  visitor text not null check (visitor in ('person', 'relay', 'scanner')),
  user_agent text not null,
  ip text,
  at timestamptz not null,
  primary key (workspace_id, id)
);
create index visit_of_campaign on visit (workspace_id, campaign_id, subscriber_id) where campaign_id is not null;

-- Mail of campaigns in the capture mailbox, and the news of it.
alter table captured_mail alter column message_id drop not null, add column campaign_id uuid, add column subscriber_id uuid;
alter table feedback alter column message_id drop not null, add column campaign_id uuid, add column subscriber_id uuid;
create index feedback_of_campaign on feedback (workspace_id, campaign_id, subscriber_id) where campaign_id is not null;

-- What the planner knows before there is anything to know, as in 0002: a workspace has thousands of subscribers, a campaign
-- thousands of recipients, and a key names one.
insert into plan (name) values ('');
insert into workspace (id, slug, name, plan, created_at) values (0, '', '', '', facteur_now());

insert into campaign (workspace_id, id, name, subject, format, source, status, created_at, updated_at)
select 0, gen_random_uuid(), '', '', 'text', '{}', (array['draft', 'scheduled', 'sending', 'sent', 'archived'])[1 + n % 5], facteur_now(), facteur_now()
from generate_series(1, 1000) n;

insert into campaign_progress (workspace_id, campaign_id, last_id, opens_at, recipients, pending)
select 0, id, id, facteur_now(), 0, 0 from campaign;

insert into campaign_recipient (workspace_id, campaign_id, subscriber_id, email, state, status, leased_until, next_at)
select 0, c.id, gen_random_uuid(), n::text, (array['pending', 'leased', 'in_doubt', 'settled'])[1 + n % 4],
  (array['queued', 'sent', 'delivered', 'bounced', 'complained', 'failed', 'suppressed'])[1 + n % 7], facteur_now(), case when n % 3 = 0 then facteur_now() end
from generate_series(1, 1500) n cross join (select id from campaign where workspace_id = 0 order by id limit 5) c;

analyze campaign, campaign_progress, campaign_recipient;

delete from campaign_recipient where workspace_id = 0;
delete from campaign_progress where workspace_id = 0;
delete from campaign where workspace_id = 0;
delete from workspace where id = 0;
delete from plan where name = '';

do $$ declare name text; begin
  foreach name in array array['campaign', 'campaign_progress', 'campaign_recipient'] loop
    execute format('alter table %I set (autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_insert_threshold = 20000, '
                   'autovacuum_analyze_threshold = 20000)', name);
  end loop;
end $$;
