-- A copy of this database to another one while the service runs: how far it is, and what the processes do for its last step.
create table database_copy (
  only_row boolean primary key default true check (only_row),
  -- The number of the copy, which its target has too.
  copy text not null,
  -- While it is draining, processes accept nothing new; while it is frozen, they keep their statements back until it has moved.
  state text not null check (state in ('copying', 'draining', 'frozen', 'moved')),
  -- Where it goes: without a login for people, and sealed for the processes that follow.
  target text not null,
  sealed_target bytea not null,
  began_at timestamptz not null,
  -- The command shows that it goes on; without that, a hold of the processes ends.
  beat_at timestamptz not null,
  rows bigint not null default 0,
  share double precision not null default 0,
  moved_at timestamptz,
  -- Rows and digest of each table when it moved.
  digests jsonb
);

create table database_copy_process (
  process_id uuid primary key,
  seen_at timestamptz not null,
  state text not null
);
