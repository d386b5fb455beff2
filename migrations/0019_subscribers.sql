-- The audience as people see it in the pages: filters that find the newest first, imports that workers carry out, who wrote what.

alter table consent
  -- The address of the signed-in person who wrote it; null: it came by a key, by the person themself or by a command.
  add column person text;

alter table subscriber_field
  -- What the pages call it; null: its key.
  add column label text;

-- What people are filtered by (core/subscribers/traits.ts): tags, fields and where they came from, each as a number. Of each the
-- newest stand first, so that a page of the oldest half is found as quickly as one of the newest.
create table subscriber_trait (
  workspace_id bigint not null,
  trait bigint not null,
  subscriber_id uuid not null,
  primary key (workspace_id, trait, subscriber_id)
);

alter table subscriber_search
  -- Those of this person that stand in subscriber_trait; null: nobody has looked yet.
  add column traits bigint[];

-- Who is there already is looked at by the workers.
insert into due (workspace_id, lane, next_at)
select distinct workspace_id, 'subscribers', facteur_now() from subscriber_search
on conflict (workspace_id, lane) do update set next_at = least(due.next_at, excluded.next_at);

-- A file that somebody brought, and what is to become of it. Its octets lie in pieces until it is done with, a day at most.
create table subscriber_file (
  workspace_id bigint not null references workspace (id),
  id uuid not null,
  name text not null,
  octets bigint not null default 0,
  -- arriving → kept → trying → tried → importing → imported; stopped and failed may be tried and imported again.
  state text not null check (state in ('arriving', 'kept', 'trying', 'tried', 'importing', 'stopped', 'imported', 'failed')),
  -- What each column is, by its place; null: nothing is taken from it.
  targets text[],
  tags text[] not null default '{}',
  -- The words that show why these people may be written to; null: each is asked.
  consent text,
  -- What was counted so far by the run that was the last: people, new, updated, refused by reason.
  progress jsonb,
  octets_done bigint not null default 0,
  -- What the dry run came to.
  trial jsonb,
  -- Why it ended: a rule and perhaps a line.
  failure jsonb,
  -- The import that it became (subscriber_import).
  import_id uuid,
  -- Asked to end after the batch under way.
  stopping boolean not null default false,
  -- Its pieces are being taken away, or are gone: nothing runs it again.
  discarded boolean not null default false,
  -- trying, importing: when it may be claimed; of one that is held, when its lease ends.
  next_at timestamptz,
  fence integer not null default 0,
  -- The address of who brought it.
  person text not null,
  created_at timestamptz not null,
  started_at timestamptz,
  ended_at timestamptz,
  primary key (workspace_id, id)
);
create index subscriber_file_work on subscriber_file (workspace_id, next_at) where next_at is not null;
create index subscriber_file_import on subscriber_file (workspace_id, import_id) where import_id is not null;

create table subscriber_file_piece (
  workspace_id bigint not null,
  file_id uuid not null,
  position integer not null,
  octets bytea not null,
  primary key (workspace_id, file_id, position)
);
-- Read once or twice and taken away: packing it would cost more than it saves.
alter table subscriber_file_piece alter column octets set storage external;

-- What the planner knows before there is anything to know (see 0002): a trait is shared by many, a person has a few.
insert into subscriber_trait (workspace_id, trait, subscriber_id)
select 0, n % 50, gen_random_uuid() from generate_series(1, 5000) n;

analyze subscriber_trait;

delete from subscriber_trait where workspace_id = 0;

alter table subscriber_trait set (autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_insert_threshold = 20000, autovacuum_analyze_threshold = 20000);
