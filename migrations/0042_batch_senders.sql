-- Each process's part in handing a campaign over, and who of it may have passed the final dot: it is written before the dot is.
-- When a lease ends unseen, this proves of all others that nothing has left (docs/decisions/0039).
-- Unlogged: a crash of PostgreSQL, a failover and a restored backup empty it, and whom no row speaks of is in doubt.
create unlogged table batch_sender (
  workspace_id bigint not null,
  campaign_id uuid not null,
  id uuid not null,
  -- Those at or past their final dot whose outcome is not recorded.
  at_dot uuid[] not null default '{}',
  -- Counts the writes: a late one must not undo a later one.
  version integer not null default 0,
  -- A lease of it ended unseen: it passes no further dot.
  is_closed boolean not null default false,
  opened_at timestamptz not null,
  primary key (workspace_id, campaign_id, id)
  -- The row is written before each group of dots: its page has room for the next ones, and the list stays in it.
) with (fillfactor = 10, toast_tuple_target = 8160);

-- Which walk claimed a recipient last, and the fence of that claim: a process of the version before raises the fence alone.
alter table campaign_recipient add column batch_sender_id uuid, add column batch_sender_fence integer;
