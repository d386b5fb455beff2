-- The audience: subscribers and the consent they gave, the forms they come by, and what their workspace tells them of itself.

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

-- Evidence: what a person was asked and answered, when and from where.
create table consent (
  workspace_id bigint not null,
  id uuid not null,
  subscriber_id uuid not null,
  email text not null,
  act text not null check (act in ('asked', 'confirmed', 'registered', 'unsubscribed')),
  -- The words that the person was shown.
  shown text,
  source text not null,
  ip text,
  user_agent text,
  -- The mail that asked, or the campaign that was left.
  message_id uuid,
  campaign_id uuid,
  at timestamptz not null,
  primary key (workspace_id, id)
);
create index consent_of_subscriber on consent (workspace_id, subscriber_id, id);
create index consent_of_address on consent (workspace_id, email, id);
