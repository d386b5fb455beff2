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
