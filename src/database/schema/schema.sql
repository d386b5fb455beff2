-- Every table of Facteur, as the migrations make it: `npm run docs` writes this page.
--
-- The catalog of a migrated database gives what stands here. The order, the headings and the
-- comments are written by hand, on this page. A new table needs its place: write its comment and
-- `create table NAME` below the room of src/db/ that owns it, and run `npm run docs`.
--
-- Partitions by time are not shown, because the upkeep makes them and drops them.

-- ==== Once in an installation ====

-- == database ==

-- One row: the fingerprint of the master key, since the start refuses a wrong one; the language;
-- whether the database was restored, and from which moment.
create table installation (
  only_row boolean default true primary key check (only_row),
  master_key_fingerprint text not null,
  created_at timestamptz not null,
  language text not null default 'fr' check (language in ('fr', 'en')),
  restored_at timestamptz,
  restored_from timestamptz,
  held_at timestamptz,
  retention_from timestamptz
);

-- Schemas, each with the tables of a share of the workspaces (docs/decisions/0060-cells.md).
create table cell (
  id integer primary key,
  schema text not null unique,
  made_at timestamptz not null default facteur_now(),
  -- False while the schema is made: nothing works on it.
  is_ready boolean not null default false,
  ahead text
);

-- How far a workspace is on its way to another cell.
create table workspace_move (
  workspace bigint primary key,
  from_cell integer not null,
  to_cell integer not null,
  -- copying → held → moved → cleared; held → copying when it was held for too long.
  state text not null check (state in ('copying', 'held', 'moved', 'cleared')),
  -- Until then processes hold what is about the workspace, and the switch may happen.
  held_until timestamptz,
  began_at timestamptz not null,
  beat_at timestamptz not null,
  moved_at timestamptz,
  -- Tables whose rows are in the new cell; from 0 to 1.
  copied text[] not null default '{}'::text[],
  share double precision not null default 0,
  -- Of the moment of the switch: counts and digests of the tables.
  digests jsonb
);

-- The migrations that this database has. The service refuses a database with one that it does not
-- know.
create table schema_migration (
  name text primary key,
  hash text not null,
  applied_at timestamptz not null
);

-- Further ones, which processes of the previous release need not know
-- (docs/decisions/0051-rolling-upgrades.md).
create table compatible_migration (
  name text primary key,
  hash text not null,
  applied_at timestamptz not null
);

-- Which database this is, as PostgreSQL tells, so that a start notices a copy by other tools
-- (docs/decisions/0049-backups.md).
create table database_identity (
  only_row boolean default true primary key check (only_row),
  -- Null: the role may not ask for it.
  system_identifier text,
  timeline integer,
  -- Of the database, and of this table.
  database_oid bigint not null,
  table_oid bigint not null,
  -- What showed that it is a copy; null: it is none, or an operator said so before (`facteur
  -- restore hold`).
  copy_shown_by text
);

-- The last success and failure of the scheduled backup, and whose turn it is.
create table backup_state (
  only_row boolean default true primary key check (only_row),
  -- Renewed while a process makes one: another process tries only when it is old.
  tried_at timestamptz not null,
  -- The last success: the moment that it shows, its name, its size and how long it took.
  taken_at timestamptz,
  name text,
  bytes bigint,
  seconds double precision,
  -- The last failure, until the next success.
  failed_at timestamptz,
  error text
);

-- A copy of this database to another one: how far it is. In no copy or backup.
create table database_copy (
  only_row boolean default true primary key check (only_row),
  -- The number of the copy, which its target has too.
  copy text not null,
  -- While it is draining, processes accept nothing new; while it is frozen, they hold their
  -- statements until it has moved.
  state text not null check (state in ('copying', 'draining', 'frozen', 'moved')),
  -- Its target: without a login for readers, and sealed for the processes that follow.
  target text not null,
  sealed_target bytea not null,
  began_at timestamptz not null,
  -- The command raises it while it runs; otherwise a hold of the processes ends.
  beat_at timestamptz not null,
  rows bigint not null default 0,
  share double precision not null default 0,
  moved_at timestamptz,
  -- Rows and digest of each table when it moved.
  digests jsonb
);

-- What each process of the service does for the last step of a copy. In no copy or backup.
create table database_copy_process (
  process_id uuid primary key,
  seen_at timestamptz not null,
  state text not null
);

-- == workspaces ==

-- How many recipients a workspace may send to in a month.
create table plan (
  name text primary key,
  -- Recipients a calendar month (UTC); null is no limit.
  monthly_quota bigint check (monthly_quota >= 0)
);

-- The workspaces, each with its plan, its cell, its limits and its settings.
create table workspace (
  id bigint generated by default as identity primary key,
  slug text not null unique,
  name text not null,
  plan text not null references plan (name),
  rate_per_minute integer not null default 600 check (rate_per_minute > 0),
  -- Counted days of an older epoch do not count: resuming by hand begins a new one.
  reputation_epoch integer not null default 0,
  reputation_hand_offs_min integer not null default 100,
  reputation_bounces_min integer not null default 5,
  reputation_complaints_min integer not null default 2,
  created_at timestamptz not null,
  -- Language of what its subscribers read; null is the installation's.
  language text,
  -- Shown in the footer of campaigns; lines are divided by line feeds.
  postal_address text,
  track_opens boolean not null default true,
  track_clicks boolean not null default true,
  -- Made at the first erasure: without one, no digest is ever computed.
  erasure_salt bytea,
  -- Where notices to the workspace go; null: to its default sender.
  contact text,
  -- Since when it is known to be suspended, and a notice says so; null: it is not.
  suspended_at timestamptz,
  disables_failing_webhooks boolean not null default false,
  -- The workspace whose plan and quota it shares, never one that shares itself. Null: its own.
  quota_of bigint references workspace (id),
  cell integer not null default 1,
  -- The end of a suspension by Gmail's spam rate; null: it never had one, or the operator ended it.
  gmail_suspended_until timestamptz,
  -- When the operator last began its reputation again; null: never. Gmail's rates of days until
  -- then do not count.
  reputation_began_at timestamptz,
  -- By its IANA name: days of conditions are those of this zone. Null: UTC.
  time_zone text,
  data_requests boolean not null default false
);
create index workspace_cell on workspace (cell);
create index workspace_quota_of on workspace (quota_of) where quota_of is not null;

-- == users ==

-- Users: the password as Argon2id, the secret of their app sealed, recovery codes as digests. One
-- user may be in several workspaces.
create table user_account (
  id uuid primary key,
  -- The whole address, lower-cased: the name at sign-in.
  email text not null unique,
  -- What the other members of a workspace see beside the address; empty: nothing.
  name text not null default '',
  -- Of pages and mails; null: as the browser asks.
  language text check (language in ('fr', 'en')),
  -- Argon2id with its parameters, in the PHC string format; null: none was ever chosen.
  password text,
  -- Secret of the codes that an app shows (RFC 6238), sealed. It counts from `totp_since` on; null:
  -- it waits for a first code.
  totp_secret bytea,
  totp_since timestamptz,
  -- The step of the last code that was accepted: no code is accepted twice.
  totp_step bigint,
  -- Digests of the recovery codes that are left.
  recovery_codes bytea[] not null default '{}'::bytea[],
  -- Networks of their latest sign-ins, newest first: from there strangers do not use up their
  -- tries.
  networks text[] not null default '{}'::text[],
  -- When a mailed link first showed that the address is theirs; null: never.
  proven_at timestamptz,
  created_at timestamptz not null default facteur_now()
) with (autovacuum_vacuum_threshold=20000, autovacuum_vacuum_insert_threshold=20000,
    autovacuum_analyze_threshold=20000);

-- Public keys of users' passkeys (Web Authentication, Level 3).
create table user_passkey (
  -- The authenticator's name for it, in base64url.
  id text primary key,
  user_id uuid not null references user_account (id) on delete cascade,
  name text not null,
  public_key bytea not null,
  -- Signatures that it claims to have made; 0 where it does not count.
  counter bigint not null,
  transports text[] not null default '{}'::text[],
  created_at timestamptz not null default facteur_now(),
  last_used_at timestamptz
) with (autovacuum_vacuum_threshold=20000, autovacuum_vacuum_insert_threshold=20000,
    autovacuum_analyze_threshold=20000);
create index user_passkey_user on user_passkey (user_id, id);

-- Challenges that a passkey is to sign, each for one answer.
create table user_passkey_challenge (
  id uuid primary key,
  challenge text not null,
  -- The user of the new passkey; null: a sign-in.
  user_id uuid references user_account (id) on delete cascade,
  expires_at timestamptz not null
) with (autovacuum_vacuum_threshold=20000, autovacuum_vacuum_insert_threshold=20000,
    autovacuum_analyze_threshold=20000);
create index user_passkey_challenge_end on user_passkey_challenge (expires_at);

-- Browsers that are signed in. A digest stands for the content of the cookie.
create table user_session (
  digest bytea primary key,
  -- Its name in lists.
  id uuid not null,
  user_id uuid not null references user_account (id) on delete cascade,
  -- How the user signed in.
  method text not null check (method in ('password', 'passkey', 'link')),
  ip text not null,
  user_agent text not null,
  created_at timestamptz not null,
  seen_at timestamptz not null,
  -- When the user last confirmed their identity.
  shown_at timestamptz not null,
  expires_at timestamptz not null
) with (autovacuum_vacuum_threshold=20000, autovacuum_vacuum_insert_threshold=20000,
    autovacuum_analyze_threshold=20000);
create unique index user_session_user on user_session (user_id, id);
create index user_session_end on user_session (expires_at);

-- Links that work once, each for one purpose: set-up, invitation, new password. A digest stands for
-- the link.
create table user_link (
  digest bytea primary key,
  id uuid not null unique,
  purpose text not null check (purpose in ('set_up', 'invitation', 'reset')),
  -- Of an invitation: the workspace, the address, the role, and the inviting user (null: the
  -- command line).
  workspace_id bigint references workspace (id),
  email text,
  role text check (role in ('viewer', 'editor', 'owner')),
  made_by uuid references user_account (id) on delete set null,
  -- Of a reset: the user.
  user_id uuid references user_account (id) on delete cascade,
  -- Whether it went to the address and nowhere else: its holder reads the mail of that address.
  mailed boolean not null default false,
  created_at timestamptz not null default facteur_now(),
  expires_at timestamptz not null
) with (autovacuum_vacuum_threshold=20000, autovacuum_vacuum_insert_threshold=20000,
    autovacuum_analyze_threshold=20000);
create index user_link_end on user_link (expires_at);
create index user_link_user on user_link (user_id) where user_id is not null;
create index user_link_workspace on user_link (workspace_id, id) where workspace_id is not null;

-- Roles of users in workspaces.
create table workspace_member (
  workspace_id bigint not null references workspace (id),
  user_id uuid not null references user_account (id) on delete cascade,
  role text not null check (role in ('viewer', 'editor', 'owner')),
  created_at timestamptz not null default facteur_now(),
  primary key (workspace_id, user_id)
);
create index workspace_member_user on workspace_member (user_id, workspace_id);

-- Tries within a quarter of an hour: to sign in, and to have a mail sent.
create table sign_in_rate (
  bucket text primary key,
  -- When the row is deleted.
  ends_at timestamptz not null,
  tries integer not null
) with (fillfactor=50, autovacuum_vacuum_threshold=20000, autovacuum_vacuum_insert_threshold=20000,
    autovacuum_analyze_threshold=20000);
create index sign_in_rate_end on sign_in_rate (ends_at);

-- == sending ==

-- When the next message may leave by a provider.
create table provider_rate (
  provider text primary key,
  -- Messages a second in force: the configured rate, or lower while the provider throttles.
  per_second double precision not null,
  -- When the next message may leave (generic cell rate).
  next_free_at timestamptz not null,
  throttled_at timestamptz,
  -- The present run of refusals: its begin, the pace before it (null: not measured), and since when
  -- the pace is as it is.
  throttled_since timestamptz,
  former_per_second double precision,
  lowered_at timestamptz,
  moved_at timestamptz not null default '-infinity'::timestamptz
);
create index provider_rate_newest on provider_rate ((provider || ''), moved_at);

-- How fast each process hands over to a provider.
create table provider_pace (
  provider text not null,
  -- One process: it makes its identifier when it starts.
  process uuid not null,
  -- Mails that the provider accepted from this process in a second.
  per_second double precision not null,
  measured_at timestamptz not null,
  primary key (provider, process)
);

-- Findings on mail hosts that gave trouble.
create table destination (
  -- The mail hosts in the order of their preference, as src/providers/direct-mx/ writes it.
  name text primary key,
  -- Since it asked for a slower pace: messages a second and connections of one process. Both grow
  -- back with the time since `throttled_at`.
  per_second double precision,
  connections smallint,
  throttled_at timestamptz,
  -- When the next message may leave while per_second holds (generic cell rate).
  next_free_at timestamptz not null,
  -- Since it could not be reached: nothing is tried until `open_until`.
  failures smallint not null default 0,
  open_until timestamptz,
  response text,
  changed_at timestamptz not null
);
create index destination_changed on destination (changed_at);

-- Policies of MTA-STS (RFC 8461) until they expire.
create table sts_policy (
  domain text primary key,
  -- The id of the TXT record that it was fetched for.
  policy_id text not null,
  mode text not null check (mode in ('enforce', 'testing', 'none')),
  mx text[] not null,
  expires_at timestamptz not null,
  changed_at timestamptz not null
);
create index sts_policy_changed on sts_policy (changed_at);

-- How encryption went with recipients' domains, counted by day in the words of RFC 8460 4.3.
create table tls_session (
  day date not null,
  -- The recipients' domain; empty: many together.
  domain text not null,
  policy text not null check (policy in ('tlsa', 'sts', 'no-policy-found')),
  result text not null,
  sessions bigint not null,
  primary key (day, domain, policy, result)
);

-- == suppression ==

-- Addresses that receive nothing further from any workspace.
create table platform_suppression (
  email text primary key,
  id uuid not null,
  reason text not null check (reason in ('unsubscribe', 'manual', 'bounce', 'complaint')),
  created_at timestamptz not null
) with (autovacuum_vacuum_threshold=20000, autovacuum_vacuum_insert_threshold=20000,
    autovacuum_analyze_threshold=20000);

-- == feedback ==

-- Notices of Amazon SNS that were processed.
create table ses_notice (
  id text primary key,
  received_at timestamptz not null
);
create index ses_notice_received on ses_notice (received_at);

-- Topics of Amazon SNS that sent us notices.
create table ses_topic (
  topic_arn text primary key,
  confirmed_at timestamptz,
  heard_at timestamptz not null
);

-- Bounces that `doctor --delivery` sent to itself and that have arrived.
create table inbound_probe (
  id uuid primary key,
  arrived_at timestamptz not null
);

-- == domain-reports ==

-- Mails to the fixed addresses for reports, a day, by what became of them.
create table report_tally (
  kind text not null check (kind in ('fbl', 'dmarc', 'tlsrpt')),
  outcome text not null,
  -- A day by UTC, as its first moment.
  day timestamptz not null,
  mails bigint not null,
  last_at timestamptz not null,
  primary key (kind, outcome, day)
);

-- == compliance ==

-- How many mails an organisation sends to each large receiver in a day, from all workspaces.
create table sender_volume (
  -- The name below the public suffix, which receivers count by.
  organization text not null,
  receiver text not null,
  -- The newest day on which mail left, of UTC, and how much.
  day date not null,
  mails bigint not null,
  highest_day date not null,
  highest_mails bigint not null,
  -- The first day of 5,000 mails or more; null: there was none.
  bulk_since date,
  primary key (organization, receiver)
);

-- == postmaster ==

-- When Google's Postmaster Tools were read.
create table postmaster_state (
  only_row boolean default true primary key check (only_row),
  -- By one process: another one tries only when it is old.
  tried_at timestamptz not null,
  -- The last success, and how many of our domains the account may read.
  read_at timestamptz,
  domains integer,
  -- The last failure, until the next success.
  failed_at timestamptz,
  error text
);

-- == retention ==

-- How long the installation stores each class of data. A class without a row has the default.
create table retention (
  class text primary key,
  days integer check (days > 0),
  -- Everything older expired under a shorter limit, and a longer one does not bring it back.
  gone_before timestamptz,
  changed_at timestamptz not null
);

-- ==== In each cell ====

-- == workspaces ==

-- API keys, as digests, with their permissions.
create table api_key (
  workspace_id bigint not null,
  id uuid not null,
  name text not null,
  -- The beginning of the key that may be shown again.
  prefix text not null,
  digest bytea not null,
  scopes text[] not null,
  created_at timestamptz not null,
  last_used_at timestamptz,
  expires_at timestamptz,
  revoked_at timestamptz,
  primary key (workspace_id, id),
  unique (workspace_id, digest)
);

-- The addresses that a workspace sends from.
create table sender (
  workspace_id bigint not null,
  id uuid not null,
  name text,
  email text not null,
  is_default boolean not null default false,
  created_at timestamptz not null,
  primary key (workspace_id, id),
  unique (workspace_id, email)
);

-- Numbers the changes of `workspace_provider`, in the order of commits.
create sequence workspace_provider_change;

-- The provider of a workspace that has one of its own, with its secrets sealed.
create table workspace_provider (
  workspace_id bigint primary key,
  version bigint not null,
  -- Its kind and settings, none of them secret; null: the installation's again.
  choice jsonb,
  -- The secret ones, sealed for this workspace.
  secret bytea,
  changed_at timestamptz not null
);
create index workspace_provider_version on workspace_provider (version);

-- Previous accounts of workspaces' own providers, while notices of them are accepted.
create table former_provider (
  workspace_id bigint not null,
  -- The version of the row of `workspace_provider` that had it.
  version bigint not null,
  choice jsonb not null,
  secret bytea,
  heard_until timestamptz not null,
  primary key (workspace_id, version)
);

-- The requests of the last minute, in slots of a second.
create table request_rate (
  workspace_id bigint not null,
  bucket text not null,
  -- Seconds since 1970 of each slot, with the requests that passed in it; the oldest first.
  seconds bigint[] not null,
  passed integer[] not null,
  moved_at timestamptz not null default '-infinity'::timestamptz,
  primary key (workspace_id, bucket, moved_at)
) with (fillfactor=50);

-- Calls of the API and of MCP with a key of the workspace, by day; some rows stand for several.
-- Never their content (docs/decisions/0053-the-log-of-calls.md).
create table request_log (
  workspace_id bigint not null,
  id uuid not null,
  key_id uuid not null,
  -- Null: no operation has the address, or a message of MCP that calls no tool.
  operation text,
  mcp boolean not null,
  -- 499: the caller left before its request was whole.
  status smallint not null,
  code text,
  duration_us integer not null,
  request_id text not null,
  address text not null,
  -- The message that the call made, the first of a batch; a repeated call has that of the original.
  message_id uuid,
  -- All of them, in their order, where the call made several.
  message_ids uuid[],
  campaign_id uuid,
  -- How many calls the row stands for: several where calls came faster than the log stores them.
  calls integer not null,
  primary key (workspace_id, id)
) partition by range (id);
-- A partition for each day. Class requests: stored for 7 days by default.
create table request_log_default partition of request_log default;
create index request_log_by_code on request_log (workspace_id, code, id) where status >= 400;
create index request_log_by_key on request_log (workspace_id, key_id, id);
create index request_log_by_request on request_log (workspace_id, request_id, id);
create index request_log_failed on request_log (workspace_id, id) where status >= 500;
create index request_log_of_campaign on request_log (workspace_id, campaign_id, id)
    where campaign_id is not null;
create index request_log_of_message on request_log (workspace_id, message_id)
    where message_id is not null;
create index request_log_refused on request_log (workspace_id, id) where status >= 400;

-- Hand-offs, bounces and complaints a day.
create table reputation_day (
  workspace_id bigint not null,
  epoch integer not null,
  day date not null,
  hand_offs bigint not null default 0,
  bounces bigint not null default 0,
  complaints bigint not null default 0,
  moved_at timestamptz not null default '-infinity'::timestamptz,
  primary key (workspace_id, epoch, day)
) with (fillfactor=50);
create index reputation_day_newest on reputation_day ((workspace_id + 0), epoch, day, moved_at);

-- Addresses whose hard bounce or complaint counted in the last thirty days.
create table reputation_address (
  workspace_id bigint not null,
  kind text not null check (kind in ('bounce', 'complaint')),
  email text not null,
  counted_at timestamptz not null,
  primary key (workspace_id, kind, email)
);

-- The results of a day's mails, as counted for the last request of the overview.
create table mail_day (
  workspace_id bigint not null,
  -- UTC; of single messages the day they were accepted, of campaigns the day their list was frozen.
  day date not null,
  delivered bigint not null,
  bounced bigint not null,
  complained bigint not null,
  failed bigint not null,
  -- Neither good nor bad feedback yet, those still to be handed over included.
  waiting bigint not null,
  counted_at timestamptz not null,
  assumed bigint,
  sent bigint,
  opened bigint,
  opened_by_relay bigint,
  clicked bigint,
  zone text not null default 'UTC',
  opens_tracked bigint,
  clicks_tracked bigint,
  primary key (workspace_id, day)
) with (fillfactor=50);

-- The results of each thousand of a day's mails: `mail_day` is their sum.
create table mail_part (
  workspace_id bigint not null,
  -- As in mail_day.
  day date not null,
  -- The messages with identifiers from `from_id` on and before `to_id`. The last part of a day ends
  -- with it.
  from_id uuid not null,
  to_id uuid not null,
  -- When its newest message was accepted; of the last part of a day when the day ends.
  ends_at timestamptz not null,
  delivered bigint not null,
  bounced bigint not null,
  complained bigint not null,
  failed bigint not null,
  waiting bigint not null,
  counted_at timestamptz not null,
  assumed bigint,
  sent bigint,
  opened bigint,
  opened_by_relay bigint,
  clicked bigint,
  zone text not null default 'UTC',
  opens_tracked bigint,
  clicks_tracked bigint,
  primary key (workspace_id, day, from_id)
);

-- == domains ==

-- The domains that a workspace sends from.
create table domain (
  workspace_id bigint not null,
  -- The exact name as A-label; its subdomains are not covered.
  name text not null,
  status text not null check (status in ('pending', 'verified')),
  created_at timestamptz not null,
  verified_at timestamptz,
  -- What verified it: its records, or the operator (null too). DNS does not take back what the
  -- operator answers for.
  verified_by text check (verified_by in ('dns', 'operator')),
  -- Subdomains of it, as A-labels; null is the usual one.
  return_path_host text,
  tracking_host text,
  checked_at timestamptz,
  -- From when its records are checked again; a check raises it as it begins. Null: it has no keys
  -- yet.
  next_check_at timestamptz,
  primary key (workspace_id, name)
);
create index domain_by_name on domain (name);
create index domain_by_return_path_host on domain (return_path_host)
    where return_path_host is not null;
create index domain_check on domain (workspace_id, next_check_at);

-- DKIM keys, sealed, with their state.
create table domain_key (
  workspace_id bigint not null,
  domain text not null,
  selector text not null,
  pair integer not null,
  algorithm text not null check (algorithm in ('rsa-sha256', 'ed25519-sha256')),
  state text not null check (state in ('waiting', 'signing', 'retiring', 'retired')),
  -- p= of its record (RFC 6376 3.6.1, RFC 8463 4.2).
  public_key text not null,
  -- PKCS #8 in base64, sealed for this workspace, domain and selector.
  private_key bytea,
  created_at timestamptz not null,
  signing_at timestamptz,
  retire_at timestamptz,
  primary key (workspace_id, domain, selector),
  foreign key (workspace_id, domain) references domain (workspace_id, name) on delete cascade,
  check ((private_key is null) = (state = 'retired'))
);

-- Public halves of the keys of removed domains, by which complaints of their mail are verified for
-- 180 days.
create table former_domain_key (
  workspace_id bigint not null,
  domain text not null,
  selector text not null,
  algorithm text not null check (algorithm in ('rsa-sha256', 'ed25519-sha256')),
  public_key text not null,
  removed_at timestamptz not null,
  primary key (workspace_id, domain, selector)
);

-- The last result for each DNS record.
create table dns_record (
  workspace_id bigint not null,
  domain text not null,
  name text not null,
  type text not null,
  purpose text not null
      check (purpose in ('dkim', 'return_path', 'spf', 'dmarc', 'tls_reports', 'tracking')),
  status text not null check (status in ('found', 'wrong', 'missing', 'unanswered')),
  found text[] not null,
  -- What is wrong with the result, in a word; null: nothing.
  problem text,
  -- Whether mail relies on it: from the first find until it was missing often enough, for long
  -- enough.
  in_use boolean not null,
  missed_since timestamptz,
  misses integer not null,
  -- When the workspace received a notice that it is gone.
  announced_at timestamptz,
  checked_at timestamptz not null,
  expected text,
  primary key (workspace_id, domain, name, type),
  foreign key (workspace_id, domain) references domain (workspace_id, name) on delete cascade
);

-- == messages ==

-- Messages that were accepted. Bodies are apart from what lists read.
create table message (
  workspace_id bigint not null,
  id uuid not null,
  api_key_id uuid,
  -- Mailboxes as they are composed: {from, to, cc, bcc, replyTo, headers}.
  head json not null,
  subject text not null,
  tags jsonb,
  -- The header's value without angle brackets; fixed here so that a repeat carries the same.
  message_id text not null,
  created_at timestamptz not null,
  scheduled_at timestamptz,
  canceled_at timestamptz,
  -- Until when the accepting request itself hands over; null where workers do.
  inline_until timestamptz,
  -- When the call was taken back, since the provider refused it whole in time: it was never
  -- accepted.
  refused_at timestamptz,
  -- The month that was debited.
  quota_month date,
  -- Our own mail to a user or a contact, such as a request to confirm: no key reads or lists it,
  -- and no quota counts it.
  notice boolean not null default false,
  size integer,
  primary key (workspace_id, id)
) with (autovacuum_vacuum_threshold=60000, autovacuum_vacuum_insert_threshold=60000,
    autovacuum_analyze_threshold=60000);
create index message_headers on message (workspace_id, id)
    where (head #>> '{headers,0,0}'::text[]) is not null;
create index message_newest on message (workspace_id, created_at desc, id desc) where not notice;
create index message_tags on message using gin (tags jsonb_path_ops) where tags is not null;

-- The HTML and text of a message. No foreign key: the statement that writes the message writes this
-- row.
create table message_body (
  workspace_id bigint not null,
  message_id uuid not null,
  html text,
  text text,
  primary key (workspace_id, message_id)
) partition by range (message_id);
alter table message_body alter column html set storage main;
alter table message_body alter column text set storage main;
-- A partition for each 3 days. Class bodies: stored for 30 days by default.
create table message_body_default partition of message_body default
    with (autovacuum_vacuum_threshold=20000, autovacuum_vacuum_insert_threshold=20000,
    autovacuum_analyze_threshold=20000);

-- The attachments of a message.
create table attachment (
  workspace_id bigint not null,
  message_id uuid not null,
  "position" smallint not null,
  filename text,
  content_type text,
  content_id text,
  content bytea not null,
  primary key (workspace_id, message_id, "position")
) partition by range (message_id);
alter table attachment alter column content set storage external;
-- A partition for each 3 days. Class bodies: stored for 30 days by default.
create table attachment_default partition of attachment default
    with (autovacuum_vacuum_threshold=20000, autovacuum_vacuum_insert_threshold=20000,
    autovacuum_analyze_threshold=20000);

-- The search index of single messages.
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
) with (autovacuum_vacuum_threshold=20000, autovacuum_vacuum_insert_threshold=20000,
    autovacuum_analyze_threshold=20000);
create index message_grams on message_search using gin (grams);
create index message_grams_sample on message_search using gin (grams)
    where (get_byte(uuid_send(message_id), 15) & 127) = 0;

-- Up to when the search index is written.
create table message_search_mark (
  workspace_id bigint primary key,
  sure_to timestamptz not null default '-infinity'::timestamptz,
  asked_at timestamptz,
  asked_xid xid8
);

-- == sending ==

-- **The ledger**: one row for one envelope is the line, the job and the status (docs/states.md). No
-- second table of jobs exists.
create table recipient (
  workspace_id bigint not null,
  message_id uuid not null,
  "position" smallint not null,
  kind text not null,
  email text not null,
  -- The address lower-cased: what suppression is compared by.
  address_key text not null,
  status text not null,
  error text,
  state text not null,
  lane text not null,
  -- By state. pending: from when it may be claimed. leased: when the lease ends. in_doubt: when it
  -- is given up.
  next_at timestamptz not null,
  -- Grows with each claim. A write with an older one comes from a holder that lost the row.
  fence integer not null default 0,
  attempts smallint not null default 0,
  -- Hand-offs whose end is not known.
  doubts smallint not null default 0,
  -- Times the row threw or lost its worker; at three it is parked.
  troubles smallint not null default 0,
  response text,
  sent_at timestamptz,
  delivered_at timestamptz,
  -- When its hand-off ended for good. A refusal up to `inline_until` of its message means that it
  -- was never accepted.
  settled_at timestamptz,
  -- What showed the delivery: feedback, an open, a click, or silence after a while.
  delivered_by text,
  -- What the contact requested by a form: an earlier `unsubscribe` does not keep it back. Anything
  -- stronger does.
  passes_unsubscribe boolean not null default false,
  opened_at timestamptz,
  clicked_at timestamptz,
  bounce text,
  doubted_at timestamptz,
  cause text,
  primary key (workspace_id, message_id, "position")
) with (autovacuum_vacuum_threshold=60000, autovacuum_vacuum_insert_threshold=60000,
    autovacuum_analyze_threshold=60000);
create index recipient_address on recipient (workspace_id, address_key, message_id);
create index recipient_delivered on recipient (workspace_id, message_id) where status = 'delivered';
create index recipient_silent on recipient (workspace_id, sent_at) where status = 'sent';
create index recipient_troubled on recipient (workspace_id, lane, next_at)
    where state = 'pending' and troubles > 0;
create index recipient_work on recipient (workspace_id, lane, state, next_at)
    where state <> 'settled';
create index recipient_wrong on recipient (workspace_id, status, message_id)
    where status in ('bounced', 'complained', 'failed');

-- Which workspaces may have work, and from when. The hint is never late.
create table due (
  workspace_id bigint not null,
  lane text not null,
  next_at timestamptz not null,
  primary key (workspace_id, lane)
) with (fillfactor=50);
create index due_next on due (lane, next_at);

-- Which messages a caller's key stands for, or the answer of a batch of subscribers; deleted after two days.
create table idempotency_key (
  workspace_id bigint not null,
  key text not null,
  fingerprint bytea not null,
  message_ids uuid[] not null,
  created_at timestamptz not null,
  answer jsonb,
  primary key (workspace_id, key)
) with (autovacuum_vacuum_threshold=20000, autovacuum_vacuum_insert_threshold=20000,
    autovacuum_analyze_threshold=20000);
create index idempotency_key_age on idempotency_key (workspace_id, created_at);

-- Recipients a month.
create table quota_usage (
  workspace_id bigint not null,
  month date not null,
  used bigint not null,
  moved_at timestamptz not null default '-infinity'::timestamptz,
  primary key (workspace_id, month)
) with (fillfactor=50);
create index quota_usage_debited on quota_usage (month, (workspace_id + 0), moved_at);
create index quota_usage_newest on quota_usage ((workspace_id + 0), month, moved_at);

-- Each temporary refusal. The ledger stores the last answer alone.
create table deferral (
  workspace_id bigint not null,
  -- The message and its recipient's position, or the campaign and its subscriber.
  mail_id uuid not null,
  part text not null,
  attempt smallint not null,
  at timestamptz not null,
  response text,
  primary key (workspace_id, mail_id, part, attempt, at)
) partition by range (mail_id);
-- A partition for each month. Class delivery_details: stored for 395 days by default.
create table deferral_default partition of deferral default
    with (autovacuum_vacuum_threshold=20000, autovacuum_vacuum_insert_threshold=20000,
    autovacuum_analyze_threshold=20000);

-- Refusals that name their cause, by the sender's domain and the day; deleted after a month.
create table refusal_day (
  workspace_id bigint not null,
  day date not null,
  domain text not null,
  cause text not null,
  refusals bigint not null,
  last_at timestamptz not null,
  -- The sending address of the last refusal that named one.
  address text,
  primary key (workspace_id, day, domain, cause)
);

-- Domains whose mail grows day by day.
create table warm_up (
  workspace_id bigint not null,
  domain text not null,
  started_at timestamptz not null,
  -- Messages of the first day. Each next day has `growth` times as many, and the day that has
  -- `finish_at` of them is the last.
  first_day integer not null,
  growth double precision not null,
  finish_at integer not null,
  -- What left on the day with this number.
  day integer not null default 0,
  used integer not null default 0,
  primary key (workspace_id, domain),
  foreign key (workspace_id, domain) references domain (workspace_id, name) on delete cascade
);

-- == approvals ==

-- Which operations of a workspace need a second member's approval. No row: none
-- (docs/decisions/0070-an-approval-names-a-digest.md).
create table approval_rule (
  workspace_id bigint not null,
  operation text not null,
  above bigint not null,
  growth_percent integer not null,
  primary key (workspace_id, operation)
) with (autovacuum_vacuum_threshold=20000, autovacuum_vacuum_insert_threshold=20000,
    autovacuum_analyze_threshold=20000);

-- What a member asked another one to approve. A later request takes its place.
create table approval (
  workspace_id bigint not null,
  operation text not null,
  subject_id uuid not null,
  digest text not null,
  quantity bigint not null,
  details json not null,
  asked_by uuid not null,
  asked_by_email text not null,
  asked_at timestamptz not null,
  approved_by uuid,
  approved_by_email text,
  approved_at timestamptz,
  primary key (workspace_id, operation, subject_id),
  constraint approval_by_another check (approved_by <> asked_by)
) with (autovacuum_vacuum_threshold=20000, autovacuum_vacuum_insert_threshold=20000,
    autovacuum_analyze_threshold=20000);

-- == campaigns ==

-- The draft of a campaign, and its frozen mail.
create table campaign (
  workspace_id bigint not null,
  id uuid not null,
  name text not null,
  subject text not null,
  preheader text,
  from_name text,
  -- Null: a draft that waits for a sender.
  from_email text,
  -- Which of three ways it is written in: text, content (blocks), html.
  format text not null check (format in ('text', 'content', 'html')),
  source json not null,
  status text not null check (status in ('draft', 'scheduled', 'sending', 'sent', 'archived')),
  scheduled_at timestamptz,
  -- Since when a campaign that is sending stands still, and why.
  paused_at timestamptz,
  pause_reason text,
  -- Nothing is handed over before.
  held_until timestamptz,
  -- When the list was frozen, the hand-off began, and nothing was left to hand over.
  frozen_at timestamptz,
  sent_at timestamptz,
  completed_at timestamptz,
  canceled_at timestamptz,
  -- When failed recipients were last tried again, or doubtful ones released: they have a queue life
  -- of their own.
  reopened_at timestamptz,
  -- The mail as it leaves, with slots for what is personal; null while it is a draft.
  compiled json,
  track_opens boolean not null default true,
  track_clicks boolean not null default true,
  -- The month that was debited.
  quota_month date,
  -- How many are handed over first and checked, and for how long their feedback is waited for.
  canary_size integer,
  canary_seconds integer,
  -- Why it went back to draft by itself.
  notice text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version integer not null default 1,
  draft json,
  unfinished boolean not null default false,
  saved_by text,
  internal_note text,
  reply_to text[] not null default '{}'::text[],
  receipts_stored bigint,
  -- Whom it goes to, where that is not everybody subscribed; a column of its own, because processes of
  -- the previous version rewrite drafts.
  audience json,
  -- With the definitions and versions that the list was frozen by.
  frozen_audience json,
  -- The topic that it is for, the name that this had at the freeze, and how many who do not get it were
  -- left out.
  topic_id uuid,
  topic_name text,
  topic_left bigint,
  audience_changed_by text,
  content_digest text,
  digested_at timestamptz,
  -- Equal to `frozen_at` where that freeze took audience and topic, which older processes do not know.
  audience_frozen_at timestamptz,
  content_changed_by text,
  topic_changed_by text,
  reopening_checked_at timestamptz,
  changes integer not null default 0,
  -- How many each exclusion left out at the freeze, as `except.0`; one that left out nobody is absent.
  except_left json,
  primary key (workspace_id, id),
  constraint campaign_targeted_is_frozen
      check (audience is null and topic_id is null or (status in ('draft', 'scheduled', 'archived'))
      or coalesce(audience_frozen_at = frozen_at, false))
) with (autovacuum_vacuum_threshold=20000, autovacuum_vacuum_insert_threshold=20000,
    autovacuum_analyze_threshold=20000);
create index campaign_by_date on campaign (workspace_id, coalesce(scheduled_at, sent_at,
    updated_at), id);
create index campaign_by_name on campaign (workspace_id, lower(name), id);
create index campaign_frozen on campaign (workspace_id, frozen_at, id) where frozen_at is not null;
create index campaign_status on campaign (workspace_id, status, id);
create trigger campaign_approval before update of status on campaign for each row
    when (new.status = 'sending' and (old.status in ('draft', 'scheduled')) and new.digested_at is
    distinct from new.frozen_at) execute function facteur_refuse_unapproved();
create trigger campaign_reopening before update of status on campaign for each row
    when (new.status = 'sending' and old.status = 'sent' and new.reopening_checked_at is distinct
    from new.reopened_at) execute function facteur_refuse_unapproved();

-- **The ledger of campaigns**: one row for each subscriber of the frozen list (docs/states.md).
create table campaign_recipient (
  workspace_id bigint not null,
  campaign_id uuid not null,
  subscriber_id uuid not null,
  -- The address as it was frozen, lower-cased.
  email text not null,
  state text not null default 'pending'
      check (state in ('pending', 'leased', 'in_doubt', 'settled')),
  status text not null default 'queued'
      check (status in ('queued', 'sent', 'delivered', 'bounced', 'complained', 'failed',
      'suppressed')),
  fence integer not null default 0,
  attempts smallint not null default 0,
  troubles smallint not null default 0,
  leased_until timestamptz,
  -- Only of rows behind the claimed part of the list: from when they may be claimed again.
  next_at timestamptz,
  error text,
  response text,
  sent_at timestamptz,
  delivered_at timestamptz,
  opened_at timestamptz,
  clicked_at timestamptz,
  unsubscribed_at timestamptz,
  delivered_by text,
  bounce text,
  first_claimed_at timestamptz,
  batch_sender_id uuid,
  batch_sender_fence integer,
  cause text,
  losses smallint not null default 0,
  primary key (workspace_id, campaign_id, subscriber_id)
) partition by range (campaign_id);
-- A partition for each month. Class delivery_details: stored for 395 days by default.
create table campaign_recipient_default partition of campaign_recipient default
    with (fillfactor=50, autovacuum_vacuum_threshold=60000,
    autovacuum_vacuum_insert_threshold=60000, autovacuum_analyze_threshold=60000);
create index campaign_recipient_left on campaign_recipient (workspace_id, campaign_id,
    subscriber_id) where unsubscribed_at is not null;
create index campaign_recipient_noted on campaign_recipient (workspace_id, campaign_id,
    subscriber_id) where error is not null;
create index campaign_recipient_stray on campaign_recipient (workspace_id, campaign_id, next_at)
    where next_at is not null;
create trigger campaign_failure after update of status on campaign_recipient for each row
    when ((new.status in ('bounced', 'complained', 'failed', 'suppressed')) and new.status <>
    old.status) execute function facteur_record_failure();

-- The sums of the ledger, and up to where the frozen list was claimed. A change of a recipient's
-- state locks this row first (docs/decisions/0008-the-campaign-ledger.md).
create table campaign_run (
  workspace_id bigint not null,
  campaign_id uuid not null,
  -- The frozen list is claimed in the order of its key: every row up to here was claimed once.
  claimed_to uuid not null default '00000000-0000-0000-0000-000000000000'::uuid,
  last_id uuid not null,
  -- No row up to here is leased, but for those with a `next_at`.
  low_water uuid not null default '00000000-0000-0000-0000-000000000000'::uuid,
  -- Nothing is claimed before; infinity while it is paused.
  opens_at timestamptz not null,
  -- How many may be claimed until the first ones are checked; null: no limit.
  canary_left bigint,
  -- When the first ones are checked, once their feedback had time to come.
  canary_checked_at timestamptz,
  recipients bigint not null,
  pending bigint not null,
  sent bigint not null default 0,
  failed bigint not null default 0,
  suppressed bigint not null default 0,
  in_doubt bigint not null default 0,
  -- Hand-offs that a provider answered for good.
  handed_over bigint not null default 0,
  counted bigint not null default 0,
  -- Of failed and suppressed: how many were given back to the quota.
  given_back bigint not null default 0,
  -- What a user has seen and let go on: the rates of this run count from here.
  checked_hand_offs bigint not null default 0,
  checked_bounces bigint not null default 0,
  checked_complaints bigint not null default 0,
  warmed_at timestamptz,
  moved_at timestamptz not null default '-infinity'::timestamptz,
  primary key (workspace_id, campaign_id, moved_at)
) with (fillfactor=20, autovacuum_vacuum_threshold=20000, autovacuum_vacuum_insert_threshold=20000,
    autovacuum_analyze_threshold=20000);

-- Which recipients of a campaign may be past the final dot, by the process that hands them over.
-- Unlogged: a crash of PostgreSQL empties it (docs/decisions/0039-in-doubt-from-the-dot-on.md).
create unlogged table batch_sender (
  workspace_id bigint not null,
  campaign_id uuid not null,
  id uuid not null,
  -- Recipients at or past their final dot whose outcome is not recorded.
  at_dot uuid[] not null default '{}'::uuid[],
  -- Counts the writes: a late one must not undo a later one.
  version integer not null default 0,
  -- A lease of it was lost: it passes no further dot.
  is_closed boolean not null default false,
  opened_at timestamptz not null,
  moved_at timestamptz not null default '-infinity'::timestamptz,
  primary key (workspace_id, campaign_id, id, moved_at)
) with (fillfactor=10, toast_tuple_target=8160);

-- Campaign mails that failed, by status. A row may have changed since: the ledger decides.
create table campaign_failure (
  workspace_id bigint not null,
  campaign_id uuid not null,
  status text not null,
  subscriber_id uuid not null,
  primary key (workspace_id, campaign_id, status, subscriber_id)
) partition by range (campaign_id);
-- A partition for each month. Class delivery_details: stored for 395 days by default.
create table campaign_failure_default partition of campaign_failure default
    with (autovacuum_vacuum_threshold=20000, autovacuum_vacuum_insert_threshold=20000,
    autovacuum_analyze_threshold=20000);

-- The counters of a campaign.
create table campaign_tally (
  workspace_id bigint not null,
  campaign_id uuid not null,
  measure text not null,
  label text not null,
  count bigint not null,
  primary key (workspace_id, campaign_id, measure, label)
) with (fillfactor=50, autovacuum_vacuum_threshold=20000, autovacuum_vacuum_insert_threshold=20000,
    autovacuum_analyze_threshold=20000);

-- How often a campaign was counted again.
create table campaign_recount (
  workspace_id bigint not null,
  campaign_id uuid not null,
  round integer not null,
  primary key (workspace_id, campaign_id)
);

-- == captured ==

-- The capture mailbox: bytes, and the feedback that is still pending.
create table captured_mail (
  workspace_id bigint not null,
  id uuid not null,
  message_id uuid,
  "position" smallint not null,
  return_path text not null,
  recipient text not null,
  raw bytea not null,
  captured_at timestamptz not null,
  feedback_kind text check (feedback_kind in ('delivered', 'bounced', 'complained', 'failed')),
  feedback_at timestamptz,
  campaign_id uuid,
  subscriber_id uuid,
  read_at timestamptz,
  primary key (workspace_id, id)
) partition by range (id);
-- A partition for each day. Class captured: stored for 7 days by default.
create table captured_mail_default partition of captured_mail default
    with (autovacuum_vacuum_threshold=20000, autovacuum_vacuum_insert_threshold=20000,
    autovacuum_analyze_threshold=20000);
create index captured_mail_newest on captured_mail (workspace_id, captured_at desc, id desc);
create index captured_mail_owed on captured_mail (workspace_id, feedback_at)
    where feedback_at is not null;

-- == tracking ==

-- The targets of a mail's links, by position.
create table campaign_link (
  workspace_id bigint not null,
  campaign_id uuid not null,
  "position" smallint not null,
  url text not null,
  primary key (workspace_id, campaign_id, "position")
) with (autovacuum_vacuum_threshold=20000, autovacuum_vacuum_insert_threshold=20000,
    autovacuum_analyze_threshold=20000);

-- Each open and click.
create table engagement (
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
  device text not null default 'Unknown',
  os text not null default 'Unknown',
  client text not null default 'Unknown',
  primary key (workspace_id, id)
) partition by range (id);
-- A partition for each month. Class delivery_details: stored for 395 days by default.
create table engagement_default partition of engagement default
    with (autovacuum_vacuum_threshold=20000, autovacuum_vacuum_insert_threshold=20000,
    autovacuum_analyze_threshold=20000);
create index engagement_of_campaign on engagement (workspace_id, campaign_id, subscriber_id)
    where campaign_id is not null;
create index engagement_of_clicker on engagement (workspace_id, campaign_id, subscriber_id)
    where kind = 'click' and visitor <> 'scanner' and campaign_id is not null;
create index engagement_of_message on engagement (workspace_id, message_id, recipient_position)
    where message_id is not null;
create index engagement_of_scanner on engagement (workspace_id, campaign_id, kind)
    where visitor = 'scanner' and campaign_id is not null;

-- What `campaign_tally` counts of opens and clicks, from the rows.
create view campaign_engagement_count as  select seen.workspace_id,
    seen.campaign_id,
    seen.subscriber_id,
    t.measure,
    t.label
   from ( select v.workspace_id,
            v.id,
            v.campaign_id,
            v.subscriber_id,
            v.message_id,
            v.recipient_position,
            v.kind,
            v.link_position,
            v.visitor,
            v.user_agent,
            v.ip,
            v.at,
            v.device,
            v.os,
            v.client,
            row_number() over own as nth,
            row_number() over (partition by v.workspace_id, v.campaign_id, v.subscriber_id, v.kind
                order by v.at, v.id) as nth_of_kind
           from engagement v
          where v.campaign_id is not null and v.visitor <> 'scanner'
          window own as (partition by v.workspace_id, v.campaign_id, v.subscriber_id order by v.at,
              v.id)) seen
     join campaign c on c.workspace_id = seen.workspace_id and c.id = seen.campaign_id
     cross join lateral ( select extract(epoch
         from seen.at - c.sent_at) / 21600::numeric as window_of) w
     cross join lateral ( values ('opened','',seen.nth = 1), ('relayed','',seen.nth = 1 and
         seen.visitor = 'relay'), ('opened_in',floor(w.window_of)::integer::text,seen.nth = 1 and
         w.window_of >= 0::numeric and w.window_of < 8::numeric), ('opened_at',
                case
                    when coalesce(w.window_of, 0::numeric) < 4::numeric then 'h' ||
                        greatest(0::numeric, floor(coalesce(w.window_of, 0::numeric) *
                        6::numeric))::integer::text
                    when w.window_of < 28::numeric then 'd' || floor(w.window_of /
                        4::numeric)::integer::text
                    else 'later'
                end,seen.nth = 1), ('device',seen.device,seen.nth = 1), ('os',seen.os,seen.nth = 1),
                    ('client',seen.client,seen.nth = 1), ('clicked','',seen.kind = 'click' and
                    seen.nth_of_kind = 1), ('clicked_in',floor(w.window_of)::integer::text,seen.kind
                    = 'click' and seen.nth_of_kind = 1 and w.window_of >= 0::numeric and w.window_of
                    < 8::numeric), ('clicked_at',
                case
                    when coalesce(w.window_of, 0::numeric) < 4::numeric then 'h' ||
                        greatest(0::numeric, floor(coalesce(w.window_of, 0::numeric) *
                        6::numeric))::integer::text
                    when w.window_of < 28::numeric then 'd' || floor(w.window_of /
                        4::numeric)::integer::text
                    else 'later'
                end,seen.kind = 'click' and seen.nth_of_kind = 1),
                    ('link',seen.link_position::text,seen.kind = 'click')) t(measure, label, counts)
  where t.counts;

-- == feedback ==

-- Each report once.
create table feedback (
  workspace_id bigint not null,
  source text not null,
  source_id text not null,
  message_id uuid,
  "position" smallint not null,
  kind text not null,
  detail text,
  received_at timestamptz not null,
  campaign_id uuid,
  subscriber_id uuid,
  -- Of a bounce: hard, soft, policy, other.
  bounce text,
  -- Enhanced status code, or else the reply code.
  code text,
  -- Of a complaint: the source's word for it.
  complaint text,
  -- When it happened, as the source says.
  occurred_at timestamptz,
  raw_id text,
  primary key (workspace_id, source, source_id, received_at)
) partition by range (received_at);
-- A partition for each month. Class delivery_details: stored for 395 days by default.
create table feedback_default partition of feedback default
    with (autovacuum_vacuum_threshold=20000, autovacuum_vacuum_insert_threshold=20000,
    autovacuum_analyze_threshold=20000);
create index feedback_of_campaign on feedback (workspace_id, campaign_id, subscriber_id)
    where campaign_id is not null;
create index feedback_of_message on feedback (workspace_id, message_id, "position");
create trigger feedback_repeated before insert on feedback for each row
    execute function facteur_refuse_repeated();

-- The notices that held the reports, cut, for thirty days.
create table raw_notice (
  workspace_id bigint not null,
  source text not null,
  id text not null,
  bytes bytea not null,
  -- How long it was before it was cut.
  size integer not null,
  received_at timestamptz not null,
  primary key (workspace_id, source, id, received_at)
) partition by range (received_at);
-- A partition for each 3 days. Class raw_notices: stored for 30 days by default.
create table raw_notice_default partition of raw_notice default
    with (autovacuum_vacuum_threshold=20000, autovacuum_vacuum_insert_threshold=20000,
    autovacuum_analyze_threshold=20000);
create index raw_notice_age on raw_notice (workspace_id, received_at);
create trigger raw_notice_repeated before insert on raw_notice for each row
    execute function facteur_refuse_repeated();

-- How many soft bounces in a row an address had, at least.
create table soft_bounce (
  workspace_id bigint not null,
  email text not null,
  count integer not null,
  -- The hand-off of the first.
  first_at timestamptz not null,
  primary key (workspace_id, email)
) with (autovacuum_vacuum_threshold=20000, autovacuum_vacuum_insert_threshold=20000,
    autovacuum_analyze_threshold=20000);

-- Up to where the delivery of a campaign was assumed.
create table campaign_assumed_delivery (
  workspace_id bigint not null,
  campaign_id uuid not null,
  assumed_to uuid not null default '00000000-0000-0000-0000-000000000000'::uuid,
  next_at timestamptz not null,
  -- Whether another round follows this one.
  again boolean not null default false,
  primary key (workspace_id, campaign_id)
);
create index campaign_assumed_delivery_next on campaign_assumed_delivery (workspace_id, next_at);

-- == suppression ==

-- Addresses that receive nothing further.
create table suppression (
  workspace_id bigint not null,
  -- The whole address, lower-cased: what recipients are compared by.
  email text not null,
  id uuid not null,
  reason text not null check (reason in ('unsubscribe', 'manual', 'bounce', 'complaint')),
  source_id text,
  created_at timestamptz not null,
  erasing boolean not null default false,
  primary key (workspace_id, email)
) with (autovacuum_vacuum_threshold=20000, autovacuum_vacuum_insert_threshold=20000,
    autovacuum_analyze_threshold=20000);
create index suppression_by_id on suppression (workspace_id, id);
create index suppression_by_reason on suppression (workspace_id, reason, created_at desc, id desc);
create index suppression_newest on suppression (workspace_id, created_at desc, id desc);

-- Suppressed addresses of erased contacts, as digests.
create table erased_suppression (
  workspace_id bigint not null,
  -- facteur_erasure_digest(salt of the workspace, lower-cased address).
  digest bytea not null,
  id uuid not null,
  reason text not null check (reason in ('unsubscribe', 'manual', 'bounce', 'complaint')),
  created_at timestamptz not null,
  primary key (workspace_id, digest)
) with (autovacuum_vacuum_threshold=20000, autovacuum_vacuum_insert_threshold=20000,
    autovacuum_analyze_threshold=20000);
create index erased_suppression_by_id on erased_suppression (workspace_id, id);
create index erased_suppression_by_reason on erased_suppression (workspace_id, reason, created_at
    desc, id desc);
create index erased_suppression_newest on erased_suppression (workspace_id, created_at desc, id
    desc);

-- == audience ==

-- The audience.
create table subscriber (
  workspace_id bigint not null,
  id uuid not null,
  -- The whole address, lower-cased.
  email text not null,
  status text not null
      check (status in ('pending', 'subscribed', 'unsubscribed', 'bounced', 'complained')),
  created_at timestamptz not null,
  first_name text,
  last_name text,
  tags text[] not null default '{}'::text[],
  fields jsonb not null default '{}'::jsonb,
  -- How the contact came: api, form, import.
  source text not null default 'api',
  updated_at timestamptz not null,
  confirmed_at timestamptz,
  unsubscribed_at timestamptz,
  -- When the last confirmation mail was requested: the next one waits.
  confirmation_sent_at timestamptz,
  -- The last import that wrote this row, by which it recognises a second line of the same file.
  import_id uuid,
  form_id uuid,
  language text,
  primary key (workspace_id, id),
  unique (workspace_id, email)
) with (autovacuum_vacuum_threshold=20000, autovacuum_vacuum_insert_threshold=20000,
    autovacuum_analyze_threshold=20000);
create index subscriber_by_form on subscriber (workspace_id, form_id, created_at desc)
    where form_id is not null;
create index subscriber_status on subscriber (workspace_id, status, id);
create trigger subscriber_added after insert on subscriber referencing new table as changed
    for each statement execute function facteur_tally_statuses();
create trigger subscriber_removed after delete on subscriber referencing old table as changed for
    each statement execute function facteur_tally_statuses();
create trigger subscriber_status_changed after update of status on subscriber for each row
    when (old.status <> new.status) execute function facteur_tally_status_change();

-- A workspace's own fields.
create table subscriber_field (
  workspace_id bigint not null,
  key text not null,
  created_at timestamptz not null,
  -- Its name on the pages; null: its key.
  label text,
  -- Names the field in conditions, which a second definition of its key does not take over.
  id uuid default gen_random_uuid(),
  -- How its values are read: text, number, date, boolean or choice. They are stored as they came.
  type text not null default 'text',
  -- What a value of a choice may be.
  choices text[] not null default '{}'::text[],
  primary key (workspace_id, key)
) with (autovacuum_vacuum_threshold=20000, autovacuum_vacuum_insert_threshold=20000,
    autovacuum_analyze_threshold=20000);

-- Parts of the audience by a definition.
create table segment (
  workspace_id bigint not null,
  id uuid not null,
  name text not null,
  -- In the contract's form, with fields and forms by their identifiers.
  definition jsonb not null,
  -- Grows with each change of the definition.
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  changed_by text,
  primary key (workspace_id, id)
);
create unique index segment_name on segment (workspace_id, lower(name));

-- A workspace's own tags.
create table subscriber_tag (
  workspace_id bigint not null,
  name text not null,
  created_at timestamptz not null,
  primary key (workspace_id, name)
) with (autovacuum_vacuum_threshold=20000, autovacuum_vacuum_insert_threshold=20000,
    autovacuum_analyze_threshold=20000);

-- How many are subscribed, as changes that add up.
create table subscriber_tally (
  workspace_id bigint not null,
  id uuid not null default gen_random_uuid(),
  change bigint not null,
  primary key (workspace_id, id)
);

-- How many contacts have each status, as changes that add up, by day.
create table subscriber_status_tally (
  workspace_id bigint not null,
  id uuid not null default gen_random_uuid(),
  status text not null,
  day date,
  change bigint not null,
  at timestamptz default facteur_now(),
  primary key (workspace_id, id)
) with (autovacuum_vacuum_threshold=20000, autovacuum_vacuum_insert_threshold=20000,
    autovacuum_analyze_threshold=20000);

-- The search index of subscribers.
create table subscriber_search (
  workspace_id bigint not null,
  subscriber_id uuid not null,
  haystack text not null,
  grams integer[] not null,
  -- Those of this contact in `subscriber_trait`; null: not indexed yet.
  traits bigint[],
  primary key (workspace_id, subscriber_id)
) with (autovacuum_vacuum_threshold=20000, autovacuum_vacuum_insert_threshold=20000,
    autovacuum_analyze_threshold=20000);
create index subscriber_grams on subscriber_search using gin (grams);
create index subscriber_grams_sample on subscriber_search using gin (grams)
    where (get_byte(uuid_send(subscriber_id), 15) & 127) = 0;
create index subscriber_search_untraited on subscriber_search (workspace_id, subscriber_id)
    where traits is null;

-- Subscribers to be indexed again.
create table subscriber_search_pending (
  workspace_id bigint not null,
  subscriber_id uuid not null,
  primary key (workspace_id, subscriber_id)
) with (autovacuum_vacuum_threshold=20000, autovacuum_vacuum_insert_threshold=20000,
    autovacuum_analyze_threshold=20000);

-- Lists of subscribers by tag, field and source.
create table subscriber_trait (
  workspace_id bigint not null,
  trait bigint not null,
  subscriber_id uuid not null,
  primary key (workspace_id, trait, subscriber_id)
) with (autovacuum_vacuum_threshold=20000, autovacuum_vacuum_insert_threshold=20000,
    autovacuum_analyze_threshold=20000);

-- When a contact last received a campaign's mail, opened one and clicked in one. No row: never
-- (docs/decisions/0068-dates-of-engagement.md).
create table subscriber_engagement (
  workspace_id bigint not null,
  subscriber_id uuid not null,
  -- A mail was handed off, whatever bounce followed.
  received_at timestamptz,
  -- Also through a privacy relay; the next one without.
  opened_at timestamptz,
  opened_directly_at timestamptz,
  clicked_at timestamptz,
  primary key (workspace_id, subscriber_id)
) with (fillfactor=70, autovacuum_vacuum_threshold=20000, autovacuum_vacuum_insert_threshold=20000,
    autovacuum_analyze_threshold=20000);

-- When the next confirmation of a batch or a file by key may leave, and how many of them leave in a minute.
create table confirmation_pace (
  workspace_id bigint primary key,
  per_minute integer not null default 60,
  next_at timestamptz not null
);

-- Evidence: what a contact was asked and answered, when, from where, by which mail.
create table consent_evidence (
  workspace_id bigint not null,
  id uuid not null,
  subscriber_id uuid not null,
  email text not null,
  act text not null check (act in ('asked', 'confirmed', 'registered', 'unsubscribed')),
  -- The words that the contact was shown.
  shown text,
  -- How it came: api, form, import; link, one-click, suppression.
  source text not null,
  ip text,
  user_agent text,
  -- The key that registered the contact, whose owner answers for it.
  api_key_id uuid,
  -- The mail that asked, or the campaign that was left.
  message_id uuid,
  campaign_id uuid,
  at timestamptz not null,
  -- The address of the signed-in user who wrote it; null: a key, the contact or a command did.
  recorded_by text,
  constraint consent_evidence_evidence_pkey primary key (workspace_id, id)
) with (autovacuum_vacuum_threshold=20000, autovacuum_vacuum_insert_threshold=20000,
    autovacuum_analyze_threshold=20000);
create index consent_evidence_of_address on consent_evidence (workspace_id, email, id);
create index consent_evidence_of_subscriber on consent_evidence (workspace_id, subscriber_id, id);

-- What a contact may leave without leaving everything, at most twenty of a workspace.
create table topic (
  workspace_id bigint not null,
  id uuid not null,
  name text not null,
  description text,
  by_default boolean not null,
  created_at timestamptz not null,
  primary key (workspace_id, id)
) with (autovacuum_vacuum_threshold=20000, autovacuum_vacuum_insert_threshold=20000,
    autovacuum_analyze_threshold=20000);
create unique index topic_name on topic (workspace_id, lower(name));

-- The topics that contacts joined or left; who never chose has the topic's default.
create table topic_choice (
  workspace_id bigint not null,
  topic_id uuid not null,
  subscriber_id uuid not null,
  subscribed boolean not null,
  chosen_at timestamptz not null,
  primary key (workspace_id, topic_id, subscriber_id),
  foreign key (workspace_id, subscriber_id) references subscriber (workspace_id, id) on delete
      cascade
) with (autovacuum_vacuum_threshold=20000, autovacuum_vacuum_insert_threshold=20000,
    autovacuum_analyze_threshold=20000);
create index topic_choice_of_subscriber on topic_choice (workspace_id, subscriber_id);

-- Evidence: what contacts chose on their page or in a form, when and from where.
create table choice_evidence (
  workspace_id bigint not null,
  id uuid not null,
  subscriber_id uuid not null,
  act text not null,
  topic text,
  shown text not null,
  source text not null,
  ip text,
  user_agent text,
  campaign_id uuid,
  at timestamptz not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, subscriber_id) references subscriber (workspace_id, id) on delete
      cascade
) with (autovacuum_vacuum_threshold=20000, autovacuum_vacuum_insert_threshold=20000,
    autovacuum_analyze_threshold=20000);
create index choice_evidence_of_subscriber on choice_evidence (workspace_id, subscriber_id, id);

-- Imports of files and their progress; deleted after thirty days.
create table subscriber_import (
  workspace_id bigint not null,
  id uuid not null,
  -- Of the bytes of the file and of all that decides about them: the same import started again is
  -- this one.
  fingerprint bytea not null,
  file_name text not null,
  records_done bigint not null default 0,
  added bigint not null default 0,
  updated bigint not null default 0,
  -- How many lines for each reason.
  refused jsonb not null default '{}'::jsonb,
  started_at timestamptz not null,
  finished_at timestamptz,
  layout jsonb,
  primary key (workspace_id, id)
);
create unique index subscriber_import_unfinished on subscriber_import (workspace_id, fingerprint)
    where finished_at is null;
create index subscriber_import_age on subscriber_import (workspace_id, started_at);

-- Files of subscribers that browsers uploaded, with their plan.
create table import_file (
  workspace_id bigint not null,
  id uuid not null,
  name text not null,
  size bigint not null default 0,
  -- arriving → kept → trying → tried → importing → imported; stopped and failed may be tried and
  -- imported again.
  state text not null
      check (state in ('arriving', 'kept', 'trying', 'tried', 'importing', 'stopped', 'imported',
      'failed')),
  -- The meaning of each column, by its position; null: it is left out.
  targets text[],
  tags text[] not null default '{}'::text[],
  -- The words that show why these contacts may be written to; null: each is asked.
  consent text,
  -- The counts of the last run so far: contacts, new, updated, refused by reason.
  progress jsonb,
  bytes_done bigint not null default 0,
  -- The counts of the dry run.
  trial jsonb,
  -- Why it ended: a rule and perhaps a line.
  failure jsonb,
  -- The import that it became (subscriber_import).
  import_id uuid,
  -- Whether it ends after the present batch.
  stopping boolean not null default false,
  -- Its pieces are being deleted, or are gone: nothing runs it again.
  discarded boolean not null default false,
  -- trying, importing: from when it may be claimed; of a claimed one, when its lease ends.
  next_at timestamptz,
  fence integer not null default 0,
  -- The address of the user who uploaded it.
  user_email text not null,
  created_at timestamptz not null,
  started_at timestamptz,
  ended_at timestamptz,
  status_words jsonb not null default '[]'::jsonb,
  tag_separators text,
  api_key_id uuid,
  primary key (workspace_id, id)
);
create index import_file_import on import_file (workspace_id, import_id)
    where import_id is not null;
create index import_file_work on import_file (workspace_id, next_at) where next_at is not null;

-- The bytes of these files, until they are processed.
create table import_file_part (
  workspace_id bigint not null,
  file_id uuid not null,
  "position" integer not null,
  content bytea not null,
  primary key (workspace_id, file_id, "position")
);
alter table import_file_part alter column content set storage external;

-- Changes of many contacts at once, with their progress; deleted after thirty days.
create table bulk_change (
  workspace_id bigint not null,
  id uuid not null,
  action text not null,
  parameters jsonb not null default '{}'::jsonb,
  state text not null,
  contacts bigint not null,
  done bigint not null default 0,
  changed bigint not null default 0,
  left_out jsonb not null default '{}'::jsonb,
  "position" uuid not null default '00000000-0000-0000-0000-000000000000'::uuid,
  stopping boolean not null default false,
  slot smallint,
  next_at timestamptz,
  fence bigint not null default 0,
  user_email text not null,
  created_at timestamptz not null,
  ended_at timestamptz,
  attempts smallint not null default 0,
  primary key (workspace_id, id)
) with (autovacuum_vacuum_threshold=20000, autovacuum_vacuum_insert_threshold=20000,
    autovacuum_analyze_threshold=20000);
create unique index bulk_change_slot on bulk_change (workspace_id, slot) where slot is not null;
create index bulk_change_work on bulk_change (workspace_id, next_at) where next_at is not null;

-- The contacts that such a change was confirmed for, until they are worked off; those of a file for an hour at most.
create table bulk_change_contact (
  workspace_id bigint not null,
  bulk_change_id uuid not null,
  subscriber_id uuid not null,
  outcome text,
  primary key (workspace_id, bulk_change_id, subscriber_id)
) with (autovacuum_vacuum_threshold=20000, autovacuum_vacuum_insert_threshold=20000,
    autovacuum_analyze_threshold=20000);

-- Recent erasures, so that an older file does not bring a contact back.
create table erased_contact (
  workspace_id bigint not null,
  -- facteur_erasure_digest(salt of the workspace, lower-cased address).
  digest bytea not null,
  erased_at timestamptz not null,
  primary key (workspace_id, digest)
) with (autovacuum_vacuum_threshold=20000, autovacuum_vacuum_insert_threshold=20000,
    autovacuum_analyze_threshold=20000);

-- == files ==

-- Files of addresses to be suppressed: the progress of each; deleted after thirty days.
create table suppression_file (
  workspace_id bigint not null,
  id uuid not null,
  size bigint not null default 0,
  bytes_done bigint not null default 0,
  lines integer not null default 0,
  added integer not null default 0,
  known integer not null default 0,
  refused jsonb not null default '{}'::jsonb,
  -- The first thousand refused lines: {line, reason, email}.
  refusals jsonb not null default '[]'::jsonb,
  -- Why it ended before the file did.
  failure text,
  started_at timestamptz not null,
  -- Raised while a process works on it.
  seen_at timestamptz not null,
  finished_at timestamptz,
  layout jsonb,
  primary key (workspace_id, id)
);

-- The lines that an import refused; deleted after thirty days.
create table subscriber_import_refusal (
  workspace_id bigint not null,
  import_id uuid not null,
  line bigint not null,
  reason text not null,
  -- What stood in the place of the address.
  email text not null,
  content text,
  primary key (workspace_id, import_id, line)
) with (autovacuum_vacuum_threshold=20000, autovacuum_vacuum_insert_threshold=20000,
    autovacuum_analyze_threshold=20000);
create index subscriber_import_refusal_address on subscriber_import_refusal (workspace_id, email);

-- == forms ==

-- Sign-up forms.
create table sign_up_form (
  workspace_id bigint not null,
  id uuid not null,
  -- The heading of its page.
  name text not null,
  -- Shown under the heading; null is nothing.
  intro text,
  -- What a visitor agrees to, stored with each consent; null is ours, in the visitor's language.
  consent text,
  -- The questions beside the address, in their order: [{"field": "firstName" | "lastName" |
  -- "fields.<key>", "label": text | null}].
  asks json not null default '[]'::json,
  -- The tags of a contact who came by this form.
  tags text[] not null default '{}'::text[],
  enabled boolean not null default true,
  created_at timestamptz not null,
  -- {"background": "#rrggbb", "text": "#rrggbb", "button": "#rrggbb"}; null is ours, light and
  -- dark.
  colours json,
  -- The workspace's own words of the mail that asks to confirm: {"subject", "text", "button"}, each
  -- null for ours.
  mail json,
  -- When its author last changed it; null: never.
  updated_at timestamptz,
  -- Of pages that may post to its JSON address, as browsers spell them.
  origins text[] not null default '{}'::text[],
  -- The owner's page after signing up; null is ours.
  thanks_url text,
  -- The owner's page after confirming; null is ours.
  confirmed_url text,
  topics uuid[] not null default '{}'::uuid[],
  language text,
  primary key (workspace_id, id)
) with (autovacuum_vacuum_threshold=20000, autovacuum_vacuum_insert_threshold=20000,
    autovacuum_analyze_threshold=20000);

-- The fields of a form as filled in, until the contact confirms.
create table sign_up (
  workspace_id bigint not null,
  id uuid not null,
  form_id uuid not null,
  -- The whole address, lower-cased.
  email text not null,
  first_name text,
  last_name text,
  fields jsonb not null default '{}'::jsonb,
  tags text[] not null default '{}'::text[],
  -- The words that the visitor agreed to.
  shown text not null,
  ip text,
  user_agent text,
  created_at timestamptz not null,
  -- From when a worker may process it; null once the contact was asked to confirm.
  next_at timestamptz,
  -- The evidence of what the contact was asked; null until then.
  consent_id uuid,
  -- Of the page that the visitor was shown; null: not known.
  language text,
  topics jsonb,
  primary key (workspace_id, id)
) with (autovacuum_vacuum_threshold=20000, autovacuum_vacuum_insert_threshold=20000,
    autovacuum_analyze_threshold=20000);
create index sign_up_age on sign_up (workspace_id, created_at);
create index sign_up_asked on sign_up (workspace_id, consent_id) where consent_id is not null;
create index sign_up_next on sign_up (workspace_id, next_at) where next_at is not null;

-- How many sign-ups came this hour.
create table sign_up_rate (
  workspace_id bigint not null,
  bucket text not null,
  since timestamptz not null,
  taken integer not null,
  primary key (workspace_id, bucket)
) with (fillfactor=50, autovacuum_vacuum_threshold=20000, autovacuum_vacuum_insert_threshold=20000,
    autovacuum_analyze_threshold=20000);

-- == images ==

-- Images in mails, the bytes of each once; a digest of the content makes its public address.
create table image_file (
  workspace_id bigint not null,
  id uuid not null,
  -- SHA-256 of the bytes; part of the public address.
  digest bytea not null,
  type text not null check (type in ('image/png', 'image/jpeg', 'image/gif', 'image/webp')),
  width integer not null,
  height integer not null,
  size integer not null,
  content bytea not null,
  -- The name of the uploaded file.
  name text not null,
  created_at timestamptz not null,
  constraint image_file_file_pkey primary key (workspace_id, id)
);
alter table image_file alter column content set storage external;
create unique index image_file_digest on image_file (workspace_id, digest);

-- == domain-reports ==

-- Complaints that came by mail, a day, by domain and reporter: verified ones, how many of them
-- count, and others, which changed nothing.
create table complaint_day (
  workspace_id bigint not null,
  domain text not null,
  day timestamptz not null,
  reporter text not null,
  -- Those whose mail carries our own signature. The others may be forged, and changed nothing.
  verified bigint not null,
  unverified bigint not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  proven bigint not null default 0,
  primary key (workspace_id, domain, day, reporter)
);

-- DMARC and TLS reports, each once.
create table domain_report (
  workspace_id bigint not null,
  domain text not null,
  day timestamptz not null,
  kind text not null check (kind in ('dmarc', 'tlsrpt')),
  -- A digest of the reporter and its own identifier of the report.
  digest bytea not null,
  received_at timestamptz not null,
  is_cut boolean not null default false,
  primary key (workspace_id, domain, day, kind, digest)
);

-- What DMARC reports say, added up by domain, day and source (RFC 9990).
create table dmarc_source (
  workspace_id bigint not null,
  domain text not null,
  day timestamptz not null,
  reporter text not null,
  -- Whether the mail that brought the report was signed by the reporter's own domain.
  proven boolean not null,
  -- The address that the mail came from; empty: all beyond the limit of rows.
  source text not null,
  -- The domain in From: this domain or one below it.
  header_from text not null,
  -- Whether DKIM and SPF passed in alignment with it, and what the receiver did.
  dkim boolean not null,
  spf boolean not null,
  disposition text not null check (disposition in ('none', 'quarantine', 'reject')),
  -- Whether one of our own keys signed it.
  ours boolean not null,
  -- What signed it, and the domain of its return path; null: the report does not say.
  dkim_domain text,
  spf_domain text,
  messages bigint not null,
  primary key (workspace_id, domain, day, reporter, proven, source, header_from, dkim, spf,
      disposition, ours)
);

-- What TLS reports say, added up by domain, day and source (RFC 8460).
create table reported_tls_result (
  workspace_id bigint not null,
  domain text not null,
  day timestamptz not null,
  reporter text not null,
  proven boolean not null,
  -- The policy that the sender found for this name: the domain, or the host of its return paths.
  policy_domain text not null,
  policy text not null,
  -- The host that it reached; empty: the report does not say.
  host text not null,
  -- `success`, or the kind of failure.
  result text not null,
  sessions bigint not null,
  primary key (workspace_id, domain, day, reporter, proven, policy_domain, policy, host, result)
);

-- == compliance ==

-- Which requirements of the large receivers a domain meets, and since when.
create table domain_compliance (
  workspace_id bigint not null,
  domain text not null,
  -- As in src/contract/compliance.ts.
  requirement text not null,
  state text not null check (state in ('met', 'not_met', 'unknown', 'not_applicable')),
  -- Why, in a word, and the figures and names that a sentence about it has.
  reason text not null,
  details jsonb not null,
  -- The DNS record that would meet it; null: no record would.
  record jsonb,
  -- Since when it is in this state.
  since timestamptz not null,
  primary key (workspace_id, domain, requirement),
  foreign key (workspace_id, domain) references domain (workspace_id, name) on delete cascade
);

-- == postmaster ==

-- What Postmaster Tools say of a domain.
create table postmaster_domain (
  workspace_id bigint not null,
  domain text not null,
  read_at timestamptz not null,
  -- When the first spam rate of a day came; null: none yet.
  first_rate_at timestamptz,
  -- Requirements of Gmail that it says need work, and those that it says are met, in Google's
  -- words.
  needs_work text[] not null,
  compliant text[] not null,
  -- Why it could not be read the last time; null: it was.
  problem text,
  primary key (workspace_id, domain),
  foreign key (workspace_id, domain) references domain (workspace_id, name) on delete cascade
);

-- Gmail's spam rate of each day. It outlives its domain: who removes a domain ends no suspension.
create table postmaster_day (
  workspace_id bigint not null,
  domain text not null,
  day date not null,
  spam_rate double precision not null,
  primary key (workspace_id, domain, day)
);

-- == events ==

-- Numbers the events in the order of the list.
create sequence event_order;

-- The body of each event, once.
create table event (
  workspace_id bigint not null,
  id uuid not null,
  place bigint not null,
  type text not null,
  -- The webhook that it tests: no other receives it.
  test boolean not null default false,
  body text not null,
  created_at timestamptz not null,
  primary key (workspace_id, id)
) partition by range (id);
-- A partition for each 3 days. Class events: stored for 30 days by default.
create table event_default partition of event default
    with (autovacuum_vacuum_threshold=20000, autovacuum_vacuum_insert_threshold=20000,
    autovacuum_analyze_threshold=20000);
create index event_in_order on event (workspace_id, place);
create index event_mail on event (workspace_id, facteur_event_mail(body))
    where facteur_event_mail(body) is not null;

-- == webhooks ==

-- Which URL receives which events.
create table webhook (
  workspace_id bigint not null,
  id uuid not null,
  name text not null,
  url text not null,
  -- The URL's host and port: calls that go there share a bulkhead.
  host text not null,
  events text[] not null,
  -- False: it receives nothing new, and nothing that is pending is sent; the journal stays.
  enabled boolean not null default true,
  -- Sealed under the master key.
  secret bytea not null,
  -- The one before, which signs too until `previous_until`.
  previous_secret bytea,
  previous_until timestamptz,
  -- Since when every attempt failed; null once one succeeds.
  failing_since timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- Since when it is hidden and receives nothing, while its journal is deleted.
  deleted_at timestamptz,
  -- Since when it is disabled; null also where that was before this column.
  disabled_at timestamptz,
  -- `failing`: after days of failures, as the workspace chose; null: a user or a program did.
  disabled_because text check (disabled_because = 'failing'),
  primary key (workspace_id, id)
);

-- **The outbox and journal**: one line for each event and webhook (docs/states.md).
create table webhook_delivery (
  workspace_id bigint not null,
  webhook_id uuid not null,
  event_id uuid not null,
  type text not null,
  status text not null default 'pending' check (status in ('pending', 'delivered', 'failed')),
  test boolean not null default false,
  -- How many have begun.
  attempts integer not null default 0,
  -- Steps of the retry schedule that were used up.
  failures smallint not null default 0,
  -- From when it may be claimed; of a claimed one, when the lease ends; null: nothing is to be
  -- done.
  next_at timestamptz,
  is_leased boolean not null default false,
  -- Grows with each claim. A write with an older one comes from a holder that lost the row.
  fence integer not null default 0,
  -- Claims whose end is not known.
  losses smallint not null default 0,
  response_status integer,
  response_body text,
  error text,
  duration_ms integer,
  -- Each attempt: {attempt, at, status, error, duration_ms}, the last fifty.
  attempt_log jsonb not null default '[]'::jsonb,
  created_at timestamptz not null,
  last_attempt_at timestamptz,
  primary key (workspace_id, webhook_id, event_id)
) partition by range (event_id);
-- A partition for each 3 days. Class events: stored for 30 days by default.
create table webhook_delivery_default partition of webhook_delivery default
    with (fillfactor=70, autovacuum_vacuum_threshold=20000,
    autovacuum_vacuum_insert_threshold=20000, autovacuum_analyze_threshold=20000);
create index webhook_delivery_due on webhook_delivery (workspace_id, webhook_id, next_at)
    where next_at is not null;
create index webhook_delivery_undelivered on webhook_delivery (workspace_id, webhook_id, status,
    event_id) where status <> 'delivered';

-- == audit ==

-- The acts of each caller in a workspace, written in the transaction of the act. Only an erasure
-- changes it.
create table audit_log (
  workspace_id bigint not null,
  -- UUIDv7: lists of entries follow it, newest first.
  id uuid not null,
  -- Null: a program by its key, or the operator. The address stays when the user is gone.
  user_id uuid,
  who text not null,
  act text not null,
  -- The object of the act in words of users: an address, a name.
  subject text not null,
  details jsonb not null default '{}'::jsonb,
  ip text,
  created_at timestamptz not null,
  primary key (workspace_id, id)
) partition by range (id);
-- A partition for each month. Class audit_log: stored for 730 days by default.
create table audit_log_default partition of audit_log default;

-- == retention ==

-- What an owner shortened.
create table workspace_retention (
  workspace_id bigint not null,
  class text not null,
  days integer check (days > 0),
  gone_before timestamptz,
  changed_at timestamptz not null,
  primary key (workspace_id, class)
);

-- Bytes of each class of data at the last look of each day.
create table disk_usage (
  day date not null,
  class text not null,
  bytes bigint not null,
  measured_at timestamptz not null,
  primary key (day, class)
);

-- What the last round of the clean-up failed at.
create table clean_up_failure (
  -- The table whose rows were left.
  table_name text primary key,
  -- The slug of the first workspace that it failed for; null: it was for none of them.
  workspace text,
  -- How many more it failed for.
  others integer not null,
  error text not null,
  -- Of the first round in a row that failed at this table.
  since timestamptz not null
);

-- == restore ==

-- Webhook deliveries and sign-ups that were pending in a restored backup, until the operator
-- decides. Held mail is in the lane `held` of `recipient`.
create table held_work (
  workspace_id bigint not null,
  kind text not null check (kind in ('campaign', 'delivery', 'sign_up', 'import')),
  -- A webhook delivery is found by its webhook and its event; the others by one id, here twice.
  id uuid not null,
  part uuid not null,
  -- Of a delivery and a sign-up: when it was due. Of a campaign: when it is scheduled for, or since
  -- when it was paused.
  at timestamptz,
  -- Of a campaign: `scheduled`, or why it was paused already; null: it was sending.
  was text,
  primary key (workspace_id, kind, id, part)
);

-- Workspaces that wait for the operator's decision after a restore.
create table undecided_workspace (
  workspace_id bigint primary key,
  held_at timestamptz not null,
  known_sent integer not null default 0
);

-- How much of what was held is known to have left since.
create table known_campaign (
  workspace_id bigint not null,
  campaign_id uuid not null,
  known_sent integer not null default 0,
  primary key (workspace_id, campaign_id)
);

-- == database ==

-- What the upkeep of partitions did for each table that is partitioned by time
-- (docs/decisions/0048-partitions-by-time.md).
create table partition_upkeep (
  table_name text primary key,
  made bigint not null default 0,
  dropped bigint not null default 0,
  -- Rows that a default partition had taken and that moved to their own.
  moved bigint not null default 0,
  -- Rows that were deleted in batches: those of workspaces with shorter limits, and expired ones of
  -- a default partition.
  deleted bigint not null default 0,
  default_rows bigint not null default 0,
  succeeded_at timestamptz,
  failed_at timestamptz,
  error text,
  batches_completed_at timestamptz
);

-- Whether the cell takes changes of a workspace that moves to another one.
create table move_gate (
  workspace_id bigint not null,
  part text not null check (part in ('open', 'closing')),
  primary key (workspace_id, part)
);

-- Which rows of such a workspace changed, by their keys.
create table move_change (
  workspace_id bigint not null,
  id bigint not null generated by default as identity,
  table_name text not null,
  key jsonb not null,
  primary key (workspace_id, id)
);

-- ==== Functions ====

-- The one clock of every statement. A test database replaces this function to move its time.
create function facteur_now() returns timestamptz language sql stable parallel safe
  return statement_timestamp();

-- Undoes the statement that calls it, so that a set-based statement refuses as a whole.
create function facteur_refuse(reason text) returns boolean language plpgsql stable as
$$
begin
  raise exception using errcode = 'FA001', message = reason;
end $$;

-- Keeps `campaign_failure` in step with the ledger.
create function facteur_record_failure() returns trigger language plpgsql as
$$
begin
  insert into campaign_failure (workspace_id, campaign_id, status, subscriber_id)
  values (new.workspace_id, new.campaign_id, new.status, new.subscriber_id)
  on conflict do nothing;
  return null;
end $$;

-- The bytes of a message's texts and files, for a message without a size. Statements open the
-- partitions of bodies only when they ask.
create function facteur_message_size(tenant bigint, mail uuid) returns integer language plpgsql
    stable as
$$
begin
  return coalesce((select coalesce(octet_length(html), 0) + coalesce(octet_length(text), 0) from message_body
                   where workspace_id = tenant and message_id = mail), 0)
    + (select coalesce(sum(octet_length(content)), 0) from attachment where workspace_id = tenant and message_id = mail);
end $$;

-- Which of the five counters of a run a row of the frozen list is counted in.
create function campaign_place(state text, status text, sent_at timestamptz) returns text language
    sql immutable parallel safe
  return case when (state in ('pending', 'leased')) then 'pending'
      when (state = 'in_doubt') then 'in_doubt' when (sent_at is not null) then 'sent'
      when (status = 'suppressed') then 'suppressed' else 'failed' end;

-- RFC 9562 5.7: a time in milliseconds, a count of those that share a statement, and random bits.
create function facteur_event_id(at timestamptz, place bigint) returns uuid language sql parallel
    safe
  return ((((lpad(to_hex(((extract(epoch
      from at) * (1000)::numeric))::bigint), 12, '0') || '7') || lpad(to_hex((place %
      (4096)::bigint)), 3, '0')) || substr(replace((gen_random_uuid())::text, '-', ''), 17)))::uuid;

-- The lowest identifier of an event that happened at that time or later.
create function facteur_events_from(at timestamptz) returns uuid language sql stable parallel safe
  return ((lpad(to_hex(greatest((0)::bigint, ((extract(epoch
      from at) * (1000)::numeric))::bigint)), 12, '0') || repeat('0', 20)))::uuid;

-- The mail that an event is about: a message, or a campaign's mail as `campaign.subscriber`; null
-- without one.
create function facteur_event_mail(body text) returns text language sql immutable parallel safe
  return case
      when (strpos(body, '"data":{"email_id":"') > 0) then substr(body, (strpos(body,
      '"data":{"email_id":"') + 20), 36)
      when ((strpos(body, '"data":{"email_id":null') > 0) and (strpos(body, ',"campaign_id":"') >
      0)) then ((substr(body, (strpos(body, ',"campaign_id":"') + 16), 36) || '.') || substr(body,
      (strpos(body, ',"campaign_id":"') + 71), 36)) else null::text end;

-- A journal with one more attempt; it keeps the last fifty.
create function facteur_log_attempt(log jsonb, attempt integer, at timestamptz, status integer,
    error text, duration_ms integer) returns jsonb language sql stable parallel safe
  return (case
      when (jsonb_array_length(log) >= 50) then (log - 0) else log end ||
      jsonb_build_array(jsonb_build_object('attempt', attempt, 'at', to_char((at at time zone
      'utc'), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'status', status, 'error', error, 'duration_ms',
      duration_ms)));

-- Undoes the statement that calls it when a webhook names one of these event types.
create function facteur_require_unsubscribed(tenant bigint, types text[]) returns boolean language
    plpgsql as
$$
begin
  if exists (select from webhook where workspace_id = tenant and events && types) then
    raise exception using errcode = 'FA002', message = 'Somebody listens';
  end if;
  return true;
end $$;

-- The digest of an address with the salt of its workspace.
create function facteur_erasure_digest(salt bytea, email text) returns bytea language sql stable
    parallel safe strict
  return sha256((salt || convert_to(email, 'UTF8')));

-- The moment before which data of a class has expired in a workspace; null: nothing has.
-- `default_days` is the limit of a class without a row.
create function facteur_stored_since(tenant bigint, name text, default_days integer) returns
    timestamptz language sql stable parallel safe as
$$
  select greatest(facteur_now() - make_interval(days => least(i.days, w.days)), i.gone_before, w.gone_before)
  from (
    select case when r.class is not null then r.days when not facteur_retention_waits() then default_days end as days, r.gone_before
    from (values (name)) c (class) left join retention r on r.class = c.class
  ) i
  left join workspace_retention w on w.workspace_id = tenant and w.class = name
$$;

-- Whether the default limits do not apply yet, in the first week after an upgrade.
create function facteur_retention_waits() returns boolean language sql stable parallel safe as
$$
  select coalesce(facteur_now() < (select retention_from from installation), false)
$$;

-- Captures or refuses a change of a workspace that moves to another cell.
create function facteur_capture_move() returns trigger language plpgsql as
$$
declare
  moving constant bigint := tg_argv[0]::bigint;
  gone_keys jsonb;
  came_keys jsonb;
begin
  -- Another server may hold the log, which knows no transition tables: the keys go there as a value.
  if tg_op <> 'INSERT' then
    execute format('select jsonb_agg(%s) from gone where workspace_id = $1', tg_argv[2]) into gone_keys using moving;
  end if;
  if tg_op <> 'DELETE' then
    execute format('select jsonb_agg(%s) from came where workspace_id = $1', tg_argv[2]) into came_keys using moving;
  end if;
  if gone_keys is null and came_keys is null then return null; end if;
  -- Two rows: who closes writes one without waiting, and waits for the holders of the other, which nobody can join any more.
  if exists (select from move_gate where workspace_id = moving and part = 'closing') then
    raise exception 'The workspace % moves to another cell', moving using errcode = 'FM001';
  end if;
  perform from move_gate where workspace_id = moving and part = 'open' for share;
  if not found then
    raise exception 'The workspace % has moved to another cell', moving using errcode = 'FM001';
  end if;
  insert into move_change (workspace_id, table_name, key)
  select moving, tg_argv[1], k from jsonb_array_elements(coalesce(gone_keys, '[]') || coalesce(came_keys, '[]')) k;
  return null;
end $$;

-- The time of a partition's bound.
create function facteur_partition_time(edge text) returns timestamptz language sql stable as
$$
  select case when edge ~ '^[0-9a-f]{8}-[0-9a-f]{4}-' then to_timestamp(('x' || left(replace(edge, '-', ''), 12))::bit(48)::bigint / 1000.0)
    else edge::timestamptz end
$$;

-- A bound as the type of its column writes it.
create function facteur_partition_edge(name text, key text, at timestamptz) returns text language
    sql stable as
$$
  select case when atttypid = 'uuid'::regtype then facteur_events_from(at)::text else to_char(at at time zone 'utc', 'YYYY-MM-DD HH24:MI:SS"+00"') end
  from pg_attribute where attrelid = name::regclass and attname = key
$$;

-- Partitions a large table by time, while the service goes on.
create procedure facteur_partition(in name text, in key text) language plpgsql as
$$
declare
  bytes bigint; is_large boolean; edge text; first text; parent text := name; line text; item record;
begin
  if (select relkind from pg_class where oid = to_regclass(name)) = 'p' then
    call facteur_partition_views(name);
    return;
  end if;
  bytes := pg_relation_size(name::regclass);

  -- The bound of a migration that was cut off stays.
  select substring(pg_get_constraintdef(oid) from '''([^'']+)''') into edge from pg_constraint
  where conrelid = name::regclass and conname = name || '_bound';
  is_large := bytes > 67108864;
  if edge is null and is_large then
    edge := facteur_partition_edge(name, key, date_trunc('day', facteur_now() at time zone 'utc') at time zone 'utc' + interval '14 days');
    execute format('alter table %I add constraint %I check (%I < %L) not valid', name, name || '_bound', key, edge);
    commit;
  end if;
  if edge is not null then
    raise info '% (%) is read through before it is partitioned; the service goes on', name, pg_size_pretty(bytes);
    begin
      execute format('alter table %I validate constraint %I', name, name || '_bound');
    exception when check_violation then
      execute format('alter table %I drop constraint %I', name, name || '_bound');
      edge := null;
    end;
    commit;
    if edge is null and is_large then
      raise info '% stays one table, since it has rows of a time to come; its rows expire in batches', name;
      return;
    end if;
  end if;

  execute format('lock table %I in access exclusive mode', name);
  if edge is null then
    edge := facteur_partition_edge(name, key, date_trunc('day', facteur_now() at time zone 'utc') at time zone 'utc' + interval '1 day');
  end if;
  first := name || '_to_' || to_char(facteur_partition_time(edge) at time zone 'utc', 'YYYYMMDD');

  -- The statements that rebuild everything around the table, by its present name.
  create temp table partition_lines on commit drop as
    select 1 as turn, format('alter table %I add %s', name, pg_get_constraintdef(oid)) as line from pg_constraint
      where conrelid = name::regclass and contype = 'p'
    union all
    select 2, regexp_replace(pg_get_indexdef(i.indexrelid), ' INDEX .* ON ', ' INDEX ' || quote_ident(c.relname) || ' ON ')
      from pg_index i join pg_class c on c.oid = i.indexrelid where i.indrelid = name::regclass and not i.indisprimary and not i.indisunique
    union all
    select 3, pg_get_triggerdef(oid) from pg_trigger where tgrelid = name::regclass and not tgisinternal
    union all
    select 4, format('grant %s on %I to %s', a.privilege_type, name, case a.grantee when 0 then 'public' else quote_ident(r.rolname) end)
      from pg_class c, aclexplode(c.relacl) a left join pg_roles r on r.oid = a.grantee
      where c.oid = name::regclass and a.grantee <> c.relowner;

  for item in select tgname from pg_trigger where tgrelid = name::regclass and not tgisinternal loop
    execute format('drop trigger %I on %I', item.tgname, name);
  end loop;
  execute format('alter table %I rename to %I', name, first);
  -- The partitioned table gets the names of the indexes and of the keys.
  for item in select conname from pg_constraint where conrelid = first::regclass and contype = 'p' loop
    execute format('alter table %I rename constraint %I to %I', first, item.conname, replace(item.conname, name, first));
  end loop;
  for item in select c.relname, i.indisunique from pg_index i join pg_class c on c.oid = i.indexrelid
    where i.indrelid = first::regclass and not i.indisprimary
  loop
    if item.indisunique then
      execute format('drop index %I', item.relname);
    else
      execute format('alter index %I rename to %I', item.relname, first || '_' || item.relname);
    end if;
  end loop;

  if not exists (select from pg_constraint where conrelid = first::regclass and conname = name || '_bound') then
    -- Ids of a time to come, from a clock that was wrong: they begin the default partition.
    execute format('create temp table partition_strays on commit drop as select * from %I where %I >= %L', first, key, edge);
    execute format('delete from %I where %I >= %L', first, key, edge);
  end if;
  execute format('create table %I (like %I including defaults including constraints including storage including comments '
    'including compression) partition by range (%I)', parent, first, key);
  execute format('alter table %I drop constraint if exists %I', parent, name || '_bound');
  for line in select l.line from partition_lines l where turn <= 2 order by turn loop
    execute line;
  end loop;
  execute format('alter table %I attach partition %I for values from (minvalue) to (%L)', parent, first, edge);
  execute format('alter table %I drop constraint if exists %I', first, name || '_bound');
  execute format('create table %I partition of %I default', parent || '_default', parent);
  execute coalesce((select format('alter table %I set (%s)', parent || '_default', array_to_string(reloptions, ', '))
    from pg_class where oid = first::regclass and reloptions is not null), 'select');
  if to_regclass('pg_temp.partition_strays') is not null then
    execute format('insert into %I select * from partition_strays', parent || '_default');
    drop table partition_strays;
  end if;
  for line in select l.line from partition_lines l where turn > 2 order by turn loop
    execute line;
  end loop;
  drop table partition_lines;
  commit;
  call facteur_partition_views(name);
end $$;

-- Makes the views of a table again that was partitioned.
create procedure facteur_partition_views(in name text) language plpgsql as
$$
declare item record;
begin
  for item in
    select distinct v.relname as view, p.relname as part, pg_get_viewdef(v.oid) as text
    from pg_inherits i join pg_class p on p.oid = i.inhrelid
    join pg_depend d on d.refclassid = 'pg_class'::regclass and d.refobjid = p.oid and d.classid = 'pg_rewrite'::regclass
    join pg_rewrite r on r.oid = d.objid join pg_class v on v.oid = r.ev_class and v.relkind = 'v'
    where i.inhparent = name::regclass
  loop
    execute format('create or replace view %I as %s', item.view, replace(item.text, item.part, name));
    commit;
  end loop;
end $$;

-- Refuses a freeze by a process of the previous version, which knows no approvals, where the workspace
-- demands them.
create function facteur_refuse_unapproved() returns trigger language plpgsql as
$$
declare
  demanded boolean;
begin
  execute format('select exists (select from %I.approval_rule where workspace_id = $1 and operation = $2)', tg_table_schema)
    into demanded using new.workspace_id, 'campaign.send';
  if demanded then
    raise exception 'campaign % may need an approval, which this version of the service does not know', new.id
      using errcode = 'check_violation';
  end if;
  return new;
end $$;

-- Refuses a report that an older row has already: the previous release does not look before it
-- inserts.
create function facteur_refuse_repeated() returns trigger language plpgsql as
$$
begin
  if tg_table_name like 'raw\_notice%' then
    -- Of two at once both are stored, which changes nothing: a report is stored with its recipient locked.
    if exists (select from raw_notice r where r.workspace_id = new.workspace_id and r.source = new.source and r.id = new.id) then
      return null;
    end if;
  elsif exists (select from feedback f
                where f.workspace_id = new.workspace_id and f.source = new.source and f.source_id = new.source_id) then
    return null;
  end if;
  return new;
end $$;

-- Notes how many contacts a statement added by status, or removed, in `subscriber_status_tally`.
create function facteur_tally_statuses() returns trigger language plpgsql as
$$
declare
  today date := (facteur_now() at time zone 'UTC')::date;
  counted record;
begin
  for counted in
    select c.workspace_id, c.status, case when tg_op = 'INSERT' then count(*) else -count(*) end as change
    from changed c
    -- Workspace 0 has the rows by which the planner knows a table: they come and go.
    where c.workspace_id > 0
    group by c.workspace_id, c.status
    order by c.workspace_id, c.status
  loop
    insert into subscriber_status_tally (workspace_id, status, day, change)
    values (counted.workspace_id, counted.status, today, counted.change);
  end loop;
  return null;
end $$;

-- Notes a contact whose status changes there.
create function facteur_tally_status_change() returns trigger language plpgsql as
$$
declare
  today date := (facteur_now() at time zone 'UTC')::date;
begin
  insert into subscriber_status_tally (workspace_id, status, day, change)
  values (old.workspace_id, old.status, today, -1), (new.workspace_id, new.status, today, 1);
  return null;
end $$;

-- ==== Former names of tables ====
