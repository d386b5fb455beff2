-- People: who may sign in and by what, where they are signed in, what they may in which workspace, and what they did there.

-- Somebody who signs in. Global: one person may be in several workspaces.
create table person (
  id uuid primary key,
  -- The whole address, lower-cased: what they sign in by.
  email text not null unique,
  -- What the others of a workspace see beside the address; empty: nothing.
  name text not null default '',
  -- Of pages and mails; null: as the browser asks.
  language text check (language in ('fr', 'en')),
  -- Argon2id with its parameters, in the PHC string format; null: none was ever chosen.
  password text,
  -- Secret of the codes that an app shows (RFC 6238), sealed. It counts from totp_since on; null: it waits for a first code.
  totp_secret bytea,
  totp_since timestamptz,
  -- The step of the last code that was taken: no code is taken twice.
  totp_step bigint,
  -- Digests of the recovery codes that are left.
  recovery_codes bytea[] not null default '{}',
  -- Networks that they signed in from lately, newest first: from there they are let try whatever strangers do.
  networks text[] not null default '{}',
  -- When a link that had been mailed showed first that the address is theirs; null: somebody says so.
  proven_at timestamptz,
  created_at timestamptz not null default facteur_now()
);

-- Public keys of a person's passkeys (Web Authentication, Level 3).
create table passkey (
  -- What the authenticator calls it, in base64url.
  id text primary key,
  person_id uuid not null references person (id) on delete cascade,
  name text not null,
  public_key bytea not null,
  -- Signatures that it says it made; 0 where it does not count.
  counter bigint not null,
  transports text[] not null default '{}',
  created_at timestamptz not null default facteur_now(),
  last_used_at timestamptz
);
create index passkey_person on passkey (person_id, id);

-- Challenges that a passkey is to sign, each for one answer.
create table passkey_challenge (
  id uuid primary key,
  challenge text not null,
  -- Whose new passkey it is for; null: somebody signs in.
  person_id uuid references person (id) on delete cascade,
  expires_at timestamptz not null
);
create index passkey_challenge_end on passkey_challenge (expires_at);

-- Browsers that are signed in. What the cookie holds is kept as a digest only.
create table session (
  digest bytea primary key,
  -- What it is named by where it is listed.
  id uuid not null,
  person_id uuid not null references person (id) on delete cascade,
  -- How they signed in.
  method text not null check (method in ('password', 'passkey', 'link')),
  ip text not null,
  user_agent text not null,
  created_at timestamptz not null,
  seen_at timestamptz not null,
  -- When they last showed who they are.
  shown_at timestamptz not null,
  expires_at timestamptz not null
);
create unique index session_person on session (person_id, id);
create index session_end on session (expires_at);

-- What people are in workspaces.
create table membership (
  workspace_id bigint not null references workspace (id),
  person_id uuid not null references person (id) on delete cascade,
  role text not null check (role in ('viewer', 'editor', 'owner')),
  created_at timestamptz not null default facteur_now(),
  primary key (workspace_id, person_id)
);
create index membership_person on membership (person_id, workspace_id);

-- Links that work once: to set the installation up, to enter a workspace, to choose a new password. A link of one purpose opens
-- nothing else. What the link holds is kept as a digest only.
create table person_link (
  digest bytea primary key,
  id uuid not null unique,
  purpose text not null check (purpose in ('set_up', 'invitation', 'reset')),
  -- Of an invitation: into which workspace, whom, as what, and by whom (null: by the command line).
  workspace_id bigint references workspace (id),
  email text,
  role text check (role in ('viewer', 'editor', 'owner')),
  made_by uuid references person (id) on delete set null,
  -- Of a reset: whose.
  person_id uuid references person (id) on delete cascade,
  -- Whether it went to the address and nowhere else: then whoever opens it reads its mail.
  mailed boolean not null default false,
  created_at timestamptz not null default facteur_now(),
  expires_at timestamptz not null
);
create index person_link_workspace on person_link (workspace_id, id) where workspace_id is not null;
create index person_link_person on person_link (person_id) where person_id is not null;
create index person_link_end on person_link (expires_at);

-- Tries within a time, a quarter of an hour mostly. To sign in, such as failed or have not ended: of an address from a network, of a
-- network, of an address. And mails that strangers or members have us write.
create table sign_in_brake (
  bucket text primary key,
  -- Then it is forgotten.
  ends_at timestamptz not null,
  tries integer not null
) with (fillfactor = 50);
create index sign_in_brake_end on sign_in_brake (ends_at);

-- What people (and the operator, by the command line) did in a workspace that others may have to know of.
create table audit_entry (
  workspace_id bigint not null references workspace (id),
  -- UUIDv7: entries are listed newest first by it.
  id uuid not null,
  -- Who; null: a program by its key, or the operator. The address stays when the person is gone.
  person_id uuid,
  who text not null,
  act text not null,
  -- What it was done to, as people name it: an address, a name.
  subject text not null,
  details jsonb not null default '{}',
  ip text,
  created_at timestamptz not null,
  primary key (workspace_id, id)
);

-- What the planner knows before there is anything to know (see 0002).
insert into person (id, email) select gen_random_uuid(), n::text from generate_series(1, 1000) n;
insert into passkey (id, person_id, name, public_key, counter) select id::text, id, '', '', 0 from person;
insert into session (digest, id, person_id, method, ip, user_agent, created_at, seen_at, shown_at, expires_at)
select sha256(id::text::bytea), id, id, 'password', '', '', created_at, created_at, created_at, created_at + email::int * interval '1 second' from person;
insert into person_link (digest, id, purpose, person_id, expires_at)
select sha256(id::text::bytea), id, 'reset', id, created_at + email::int * interval '1 second' from person;
insert into sign_in_brake (bucket, ends_at, tries) select email, created_at + email::int * interval '1 second', 1 from person;
insert into passkey_challenge (id, challenge, expires_at) select id, email, created_at + email::int * interval '1 second' from person;

analyze person, passkey, session, person_link, sign_in_brake, passkey_challenge;

delete from passkey_challenge;
delete from sign_in_brake;
delete from person;

do $$ declare name text; begin
  foreach name in array array['person', 'passkey', 'session', 'person_link', 'sign_in_brake', 'passkey_challenge'] loop
    execute format('alter table %I set (autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_insert_threshold = 20000, '
                   'autovacuum_analyze_threshold = 20000)', name);
  end loop;
end $$;
