-- The audience: subscribers and the consent they gave, the mail that asks for it, and what finds them again.

alter table workspace
  -- Language of what its subscribers read; null is the installation's.
  add column language text check (language in ('fr', 'en')),
  -- Shown in the footer of campaigns; lines are divided by line feeds.
  add column postal_address text,
  add column track_opens boolean not null default true,
  add column track_clicks boolean not null default true;

alter table subscriber
  add column first_name text,
  add column last_name text,
  add column tags text[] not null default '{}',
  add column fields jsonb not null default '{}',
  -- By which door the person came: api, form, import.
  add column source text not null default 'api',
  add column updated_at timestamptz,
  add column confirmed_at timestamptz,
  add column unsubscribed_at timestamptz,
  -- When the last confirmation mail was asked for: the next waits.
  add column confirmation_sent_at timestamptz;
update subscriber set updated_at = created_at;
alter table subscriber alter column updated_at set not null;

-- Lists are newest first by identifier, which grows with time (ids.ts).
create index subscriber_status on subscriber (workspace_id, status, id);

create table subscriber_tag (
  workspace_id bigint not null,
  name text not null,
  created_at timestamptz not null,
  primary key (workspace_id, name)
);

create table subscriber_field (
  workspace_id bigint not null,
  key text not null,
  created_at timestamptz not null,
  primary key (workspace_id, key)
);

-- Who is to be found again by what. Whoever adds a subscriber, or changes an address or a name, notes it here in the same
-- statement and lowers the lane `subscribers` of due (db/subscribers.ts); a worker takes the note and writes subscriber_search.
create table subscriber_unsearched (
  workspace_id bigint not null,
  subscriber_id uuid not null,
  primary key (workspace_id, subscriber_id)
);

-- What `q` is looked for in, without case and accents, and its pieces of three characters as numbers that are the workspace's own
-- (core/subscribers/search-text.ts): an index of pieces alone would be read for everybody's.
create table subscriber_search (
  workspace_id bigint not null,
  subscriber_id uuid not null,
  haystack text not null,
  grams integer[] not null,
  primary key (workspace_id, subscriber_id)
);
create index subscriber_grams on subscriber_search using gin (grams);
-- One of 128, by the last of an identifier's random bits: what is counted here says how common something is.
create index subscriber_grams_sample on subscriber_search using gin (grams)
  where (get_byte(uuid_send(subscriber_id), 15) & 127) = 0;

-- How many are subscribed, as changes that add up: one row that all count in would be waited for. Whoever moves somebody into
-- `subscribed`, or out of it, adds a change in the same statement; a worker folds them.
create table subscriber_tally (
  workspace_id bigint not null,
  id uuid not null default gen_random_uuid(),
  change bigint not null,
  primary key (workspace_id, id)
);
insert into subscriber_tally (workspace_id, change)
select workspace_id, count(*) from subscriber where status = 'subscribed' group by workspace_id;

-- Evidence: what a person was asked and answered, when and from where.
create table consent (
  workspace_id bigint not null,
  id uuid not null,
  subscriber_id uuid not null,
  email text not null,
  act text not null check (act in ('asked', 'confirmed', 'registered', 'unsubscribed')),
  -- The words that the person was shown.
  shown text,
  -- By which door: api, form, import; link, one-click, suppression.
  source text not null,
  ip text,
  user_agent text,
  -- Whose key it came by: who registers somebody answers for it.
  api_key_id uuid,
  -- The mail that asked, or the campaign that was left.
  message_id uuid,
  campaign_id uuid,
  at timestamptz not null,
  primary key (workspace_id, id)
);
create index consent_of_subscriber on consent (workspace_id, subscriber_id, id);
create index consent_of_address on consent (workspace_id, email, id);

alter table message
  -- Our own mail to somebody, such as a request to confirm: no key reads or lists it, and no quota counts it.
  add column notice boolean not null default false,
  alter column quota_month drop not null;
drop index message_newest;
create index message_newest on message (workspace_id, created_at desc, id desc) where not notice;

alter table recipient
  -- What the person themself asked for by a form: their own `unsubscribe` does not keep it back. Anything stronger does.
  add column passes_unsubscribe boolean not null default false;

-- What the planner knows before there is anything to know (see 0002; of messages it is told again in 0009).
insert into plan (name) values ('');
insert into workspace (id, slug, name, plan, created_at) values (0, '', '', '', facteur_now());

insert into subscriber (workspace_id, id, email, status, created_at, updated_at)
select 0, gen_random_uuid(), n::text, (array['pending', 'subscribed', 'unsubscribed', 'bounced', 'complained'])[1 + n % 5], facteur_now(), facteur_now()
from generate_series(1, 5000) n;

insert into subscriber_search (workspace_id, subscriber_id, haystack, grams)
select 0, id, email, array[email::int, 5000 + email::int % 10, 6000] from subscriber where workspace_id = 0;

insert into subscriber_unsearched (workspace_id, subscriber_id)
select 0, id from subscriber where workspace_id = 0;

insert into subscriber_tag (workspace_id, name, created_at)
select 0, email, created_at from subscriber where workspace_id = 0;

insert into subscriber_field (workspace_id, key, created_at)
select 0, email, created_at from subscriber where workspace_id = 0;

insert into consent (workspace_id, id, subscriber_id, email, act, source, message_id, at)
select 0, gen_random_uuid(), id, email, 'asked', 'api', id, created_at from subscriber where workspace_id = 0;

analyze subscriber, subscriber_search, subscriber_unsearched, subscriber_tag, subscriber_field, consent;

delete from consent where workspace_id = 0;
delete from subscriber_field where workspace_id = 0;
delete from subscriber_tag where workspace_id = 0;
delete from subscriber_unsearched where workspace_id = 0;
delete from subscriber_search where workspace_id = 0;
delete from subscriber where workspace_id = 0;
delete from workspace where id = 0;
delete from plan where name = '';

do $$ declare name text; begin
  foreach name in array array['subscriber', 'subscriber_search', 'subscriber_unsearched', 'subscriber_tag', 'subscriber_field', 'consent'] loop
    execute format('alter table %I set (autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_insert_threshold = 20000, '
                   'autovacuum_analyze_threshold = 20000)', name);
  end loop;
end $$;
