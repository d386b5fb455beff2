-- global tables only
-- Moves of workspaces from cell to cell: how far each is, so that it goes on after a kill (docs/decisions/0060-cells.md).
create table workspace_move (
  workspace bigint primary key,
  from_cell integer not null,
  to_cell integer not null,
  -- copying → held → moved → cleared; held → copying when it was held for too long.
  state text not null check (state in ('copying', 'held', 'moved', 'cleared')),
  -- Until then processes keep back what is about the workspace, and the switch may happen.
  held_until timestamptz,
  began_at timestamptz not null,
  beat_at timestamptz not null,
  moved_at timestamptz,
  -- Tables whose rows are in the new cell; from 0 to 1.
  copied text[] not null default '{}',
  share double precision not null default 0,
  -- Of the moment of the switch: counts and digests of the tables.
  digests jsonb
);
