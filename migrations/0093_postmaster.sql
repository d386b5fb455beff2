-- global tables only
-- What Google's Postmaster Tools say of Gmail: when they were read, and until when a workspace is suspended by them.
create table postmaster_state (
  only_row boolean primary key default true check (only_row),
  -- By one process: another one tries only when it is old.
  tried_at timestamptz not null,
  -- The last success, and how many of our domains the account may read.
  read_at timestamptz,
  domains integer,
  -- The last failure, until the next success.
  failed_at timestamptz,
  error text
);

alter table workspace
  -- The end of a suspension by Gmail's spam rate; null: it never had one, or the operator ended it.
  add column gmail_suspended_until timestamptz,
  -- When the operator last began its reputation again; null: never. Gmail's rates of days until then count no more.
  add column reputation_began_at timestamptz;
