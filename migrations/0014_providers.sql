-- Providers of workspaces, and what is known of the notices of Amazon SES.

-- The provider that a workspace's mail leaves by in place of the deployment's. Every process holds all of them in memory and asks
-- for what changed since it last looked: the version grows in the order of commits.
create table workspace_provider (
  workspace_id bigint primary key references workspace (id),
  version bigint not null,
  -- Its kind and settings, none of them secret; null: the deployment's again.
  choice jsonb,
  -- What goes with them that is secret, sealed for this workspace.
  secret bytea,
  changed_at timestamptz not null
);
create index workspace_provider_version on workspace_provider (version);
create sequence workspace_provider_change;

-- Accounts of Amazon SES that a workspace's mail left by before: their notices still come for a while, and are heard until then.
-- The secret is kept only where a queue has to be asked with it.
create table former_provider (
  workspace_id bigint not null references workspace (id),
  -- The one that it had.
  version bigint not null,
  choice jsonb not null,
  secret bytea,
  heard_until timestamptz not null,
  primary key (workspace_id, version)
);

-- Notices by the identifier of Amazon SNS, each acted on once; kept longer than a notice may be old.
create table ses_notice (
  id text primary key,
  received_at timestamptz not null
);
create index ses_notice_received on ses_notice (received_at);

-- Topics that were heard over HTTP: since when their subscription is confirmed, and when they last said something.
create table ses_topic (
  topic_arn text primary key,
  confirmed_at timestamptz,
  heard_at timestamptz not null
);
