-- The log of messages: what finds single messages by their recipients, subject and tags, campaign mails that went wrong, and the
-- events that a mail caused (docs/decisions/0021).

-- What a single message is found by, written by a worker a moment after it was accepted: no call waits for it. Folded texts, and
-- their pieces as numbers that the workspace is mixed into (core/messages/message-text.ts).
create table message_search (
  workspace_id bigint not null,
  -- When the message was accepted.
  at timestamptz not null,
  message_id uuid not null,
  addresses text not null,
  subject text not null,
  tags text not null,
  grams integer[] not null,
  primary key (workspace_id, at, message_id)
);
create index message_grams on message_search using gin (grams);
-- One of 128, by the last of an identifier's random bits: what is counted here says how common something is.
create index message_grams_sample on message_search using gin (grams) where (get_byte(uuid_send(message_id), 15) & 127) = 0;

-- How far each workspace's messages are indexed. Everything accepted before `sure_to` is: what began to be written before
-- `asked_at` had an older transaction than `asked_xid`, and all of these have ended.
create table message_search_mark (
  workspace_id bigint not null,
  sure_to timestamptz not null default '-infinity',
  asked_at timestamptz,
  asked_xid xid8,
  primary key (workspace_id)
);

-- Campaign mails that went wrong, one line for each way: they are few among many, and an index on the ledger itself would make
-- each of its updates dearer. A row may since have moved on; whoever reads a line looks at the ledger.
create table campaign_mishap (
  workspace_id bigint not null,
  campaign_id uuid not null,
  status text not null,
  subscriber_id uuid not null,
  primary key (workspace_id, campaign_id, status, subscriber_id)
);

create function facteur_note_mishap() returns trigger
  language plpgsql as $$
begin
  insert into campaign_mishap (workspace_id, campaign_id, status, subscriber_id)
  values (new.workspace_id, new.campaign_id, new.status, new.subscriber_id)
  on conflict do nothing;
  return null;
end $$;

-- Refusals for now, each as the server said it: the ledger keeps the last answer alone.
create table deferral (
  workspace_id bigint not null,
  -- The message and its recipient's position, or the campaign and its subscriber.
  mail_id uuid not null,
  part text not null,
  attempt smallint not null,
  at timestamptz not null,
  response text,
  primary key (workspace_id, mail_id, part, attempt, at)
);

-- Which mail an event tells of: a message, or a campaign's mail as `campaign.subscriber`; null: none. `data` begins with it, as we
-- write it (core/webhooks/email-events.ts), before any text of others'.
create function facteur_event_mail(body text) returns text
  language sql immutable parallel safe
  return case
    when strpos(body, '"data":{"email_id":"') > 0 then substr(body, strpos(body, '"data":{"email_id":"') + 20, 36)
    when strpos(body, '"data":{"email_id":null') > 0 and strpos(body, ',"campaign_id":"') > 0
      then substr(body, strpos(body, ',"campaign_id":"') + 16, 36) || '.' || substr(body, strpos(body, ',"campaign_id":"') + 71, 36)
    end;

-- Files of addresses to be closed: how far each is, and what it refused; kept thirty days.
create table suppression_import (
  workspace_id bigint not null,
  id uuid not null,
  octets bigint not null default 0,
  octets_done bigint not null default 0,
  lines integer not null default 0,
  added integer not null default 0,
  known integer not null default 0,
  refused jsonb not null default '{}',
  -- The first thousand refused lines: {line, reason, email}.
  refusals jsonb not null default '[]',
  -- Why it ended before the file did.
  failure text,
  started_at timestamptz not null,
  -- Moves while somebody works on it.
  seen_at timestamptz not null,
  finished_at timestamptz,
  primary key (workspace_id, id)
);

-- What the planner knows before there is anything to know (0009).
insert into plan (name) values ('');
insert into workspace (id, slug, name, plan, created_at) values (0, '', '', '', facteur_now());

insert into message_search (workspace_id, at, message_id, addresses, subject, tags, grams)
select 0, facteur_now() + n * interval '1 second', gen_random_uuid(), n::text, '', '', array[n, 5000 + n % 10, 6000]
from generate_series(1, 5000) n;

insert into campaign_mishap (workspace_id, campaign_id, status, subscriber_id)
select 0, ('00000000-0000-0000-0000-' || lpad((n % 5)::text, 12, '0'))::uuid,
  (array['bounced', 'complained', 'failed', 'suppressed'])[1 + n % 4], gen_random_uuid()
from generate_series(1, 5000) n;

insert into deferral (workspace_id, mail_id, part, attempt, at)
select 0, gen_random_uuid(), '0', 1, facteur_now() from generate_series(1, 5000) n;

analyze message_search, campaign_mishap, deferral;

delete from deferral where workspace_id = 0;
delete from campaign_mishap where workspace_id = 0;
delete from message_search where workspace_id = 0;
delete from workspace where id = 0;
delete from plan where name = '';

do $$ declare name text; begin
  foreach name in array array['message_search', 'campaign_mishap', 'deferral'] loop
    execute format('alter table %I set (autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_insert_threshold = 20000, '
                   'autovacuum_analyze_threshold = 20000)', name);
  end loop;
end $$;

-- A trigger, so that processes of the version before note them too while both run. Last of all: it waits for whoever
-- writes the ledger at this moment, and others wait for it until this ends.
create trigger campaign_mishap after update of status on campaign_recipient
  for each row when (new.status in ('bounced', 'complained', 'failed', 'suppressed') and new.status <> old.status)
  execute function facteur_note_mishap();
