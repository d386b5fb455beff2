-- How long the installation stores each class of data (src/contract/retention.ts). Days: null is for ever; a class without a
-- row has the default.
create table retention (
  class text primary key,
  days integer check (days > 0),
  -- Everything older expired under a shorter limit, and a longer one does not bring it back.
  gone_before timestamptz,
  changed_at timestamptz not null
);

-- What an owner shortened. Days: null is the limit of the installation, which also wins where it is shorter.
create table workspace_retention (
  workspace_id bigint not null,
  class text not null,
  days integer check (days > 0),
  gone_before timestamptz,
  changed_at timestamptz not null,
  primary key (workspace_id, class)
);
