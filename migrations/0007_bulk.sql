-- What comes and goes in bulk: imports that can be taken up again, and people who were erased.

alter table subscriber
  -- The last import that wrote this row: a second line of the same file is told by it.
  add column import_id uuid;

-- One import of one file. What it has done is committed with the rows that it did it to.
create table subscriber_import (
  workspace_id bigint not null references workspace (id),
  id uuid not null,
  -- Of the file's bytes and of all that decides what becomes of them: the same import started again is this one.
  fingerprint bytea not null,
  file_name text not null,
  records_done bigint not null default 0,
  added bigint not null default 0,
  updated bigint not null default 0,
  -- How many lines for each reason.
  refused jsonb not null default '{}',
  started_at timestamptz not null,
  finished_at timestamptz,
  primary key (workspace_id, id)
);
create unique index subscriber_import_unfinished on subscriber_import (workspace_id, fingerprint) where finished_at is null;
create index subscriber_import_age on subscriber_import (workspace_id, started_at);

-- Lines that were refused, for the report; forgotten with their import.
create table subscriber_import_refusal (
  workspace_id bigint not null,
  import_id uuid not null,
  line bigint not null,
  reason text not null,
  -- What stood where the address belongs.
  email text not null,
  primary key (workspace_id, import_id, line)
);
create index subscriber_import_refusal_address on subscriber_import_refusal (workspace_id, email);

-- People who were erased while their address was closed: it stays closed, and only whoever has the address can tell.
alter table workspace
  -- Made at the first erasure: without one, no digest is ever computed.
  add column erasure_salt bytea;

create table erased_suppression (
  workspace_id bigint not null references workspace (id),
  -- facteur_erasure_digest(salt of the workspace, lower-cased address).
  digest bytea not null,
  id uuid not null,
  reason text not null check (reason in ('unsubscribe', 'manual', 'bounce', 'complaint')),
  created_at timestamptz not null,
  primary key (workspace_id, digest)
);
create index erased_suppression_newest on erased_suppression (workspace_id, created_at desc, id desc);

-- Null without a salt, and then an index look-up by it costs nothing.
create function facteur_erasure_digest(salt bytea, email text) returns bytea
  language sql stable strict parallel safe
  return sha256(salt || convert_to(email, 'UTF8'));

-- What the planner knows before there is anything to know (see 0002): a digest names one entry, a line one refusal.
insert into plan (name) values ('');
insert into workspace (id, slug, name, plan, created_at) values (0, '', '', '', facteur_now());

insert into erased_suppression (workspace_id, digest, id, reason, created_at)
select 0, sha256(n::text::bytea), gen_random_uuid(), 'manual', facteur_now() + n * interval '1 second' from generate_series(1, 5000) n;

insert into subscriber_import_refusal (workspace_id, import_id, line, reason, email)
select 0, '00000000-0000-0000-0000-000000000000', n, 'duplicate', n::text from generate_series(1, 5000) n;

analyze erased_suppression, subscriber_import_refusal;

delete from subscriber_import_refusal where workspace_id = 0;
delete from erased_suppression where workspace_id = 0;
delete from workspace where id = 0;
delete from plan where name = '';

do $$ declare name text; begin
  foreach name in array array['erased_suppression', 'subscriber_import_refusal'] loop
    execute format('alter table %I set (autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_insert_threshold = 20000, '
                   'autovacuum_analyze_threshold = 20000)', name);
  end loop;
end $$;
