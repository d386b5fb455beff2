-- Delivery to the world: what is known of the hosts that mail goes to, policies of transport security, and warm-ups of sending domains.

-- What processes learned of a set of mail hosts, for all of them; only of those that gave trouble. Not of one workspace.
create table destination (
  -- The mail hosts in the order of their preference, as src/providers/direct-mx/ writes it.
  name text primary key,
  -- Since it said "slower": messages a second and connections of one process; both grow back with the time since throttled_at.
  per_second double precision,
  connections smallint,
  throttled_at timestamptz,
  -- When the next message may leave while per_second holds (generic cell rate).
  next_free_at timestamptz not null,
  -- Since it could not be reached: nothing is tried until open_until.
  failures smallint not null default 0,
  open_until timestamptz,
  response text,
  changed_at timestamptz not null
);
create index destination_changed on destination (changed_at);

-- When a warm-up last left nothing to this campaign for the day: from then on its queue's life is counted.
alter table campaign_progress add column warmed_at timestamptz;

-- Policies of transport security (RFC 8461), kept for as long as their domains say. Not of one workspace.
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

-- Domains whose mail is to grow day by day; there is one only where the operator asked for it.
create table warm_up (
  workspace_id bigint not null,
  domain text not null,
  started_at timestamptz not null,
  -- Messages of the first day; each next day has growth times as many, and the day that has finish_at of them is the last.
  first_day integer not null,
  growth double precision not null,
  finish_at integer not null,
  -- What left on the day with this number.
  day integer not null default 0,
  used integer not null default 0,
  primary key (workspace_id, domain),
  foreign key (workspace_id, domain) references domain (workspace_id, name) on delete cascade
);
