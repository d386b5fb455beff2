-- The scheduled backup: its last success, its last failure, and which process makes it now.
create table backup_state (
  only_row boolean primary key default true check (only_row),
  -- Renewed while a process makes one: another one tries only when it is old.
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
