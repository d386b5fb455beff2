-- Sign-up forms, what visitors wrote into them until it is confirmed, and the brakes on how much they may ask.

create table sign_up_form (
  workspace_id bigint not null,
  id uuid not null,
  -- The heading of its page.
  name text not null,
  -- Shown under the heading; null is nothing.
  intro text,
  -- What a visitor agrees to, kept with each consent; null is ours, in the visitor's language.
  consent text,
  -- What is asked beside the address, in its order: [{"field": "firstName" | "lastName" | "fields.<key>", "label": text | null}].
  asks json not null default '[]',
  -- What a person who came by this form is tagged with.
  tags text[] not null default '{}',
  enabled boolean not null default true,
  created_at timestamptz not null,
  primary key (workspace_id, id)
);

-- What a visitor sent. The page answers before anybody looks at whose address it is; a worker does, and what the person has
-- not confirmed yet changes nothing about them.
create table sign_up (
  workspace_id bigint not null,
  id uuid not null,
  form_id uuid not null,
  -- The whole address, lower-cased.
  email text not null,
  first_name text,
  last_name text,
  fields jsonb not null default '{}',
  tags text[] not null default '{}',
  -- The words that the visitor agreed to.
  shown text not null,
  ip text,
  user_agent text,
  created_at timestamptz not null,
  -- When a worker looks at it; null once the person was asked to confirm.
  next_at timestamptz,
  -- What the person was asked (consent); null until then.
  consent_id uuid,
  primary key (workspace_id, id)
);
create index sign_up_next on sign_up (workspace_id, next_at) where next_at is not null;
create index sign_up_asked on sign_up (workspace_id, consent_id) where consent_id is not null;
create index sign_up_age on sign_up (workspace_id, created_at);

-- Sign-ups taken within an hour: in a workspace by all visitors together (bucket ''), and in workspace 0 by one network.
create table sign_up_brake (
  workspace_id bigint not null,
  bucket text not null,
  since timestamptz not null,
  taken integer not null,
  primary key (workspace_id, bucket)
) with (fillfactor = 50);
