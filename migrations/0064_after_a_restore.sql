-- What a restore left: since when, from which moment, and the work of then that a person has to decide on.

-- restored_at: a copy of another database was loaded. restored_from: the moment that the copy shows; null: not known.
-- held_at: since then the work that was pending in the copy is held; null after restored_at: the next start holds it.
alter table installation add column restored_at timestamptz, add column restored_from timestamptz, add column held_at timestamptz;

-- A lane that no worker claims from: single mails wait there for `facteur restore release` or `discard`, whatever their state.
alter table recipient drop constraint if exists recipient_lane_check;
alter table recipient add constraint recipient_lane_check check (lane in ('transactional', 'campaign', 'held')) not valid;

-- Other work that a restore holds, without its time in the table of its own: webhook deliveries and sign-ups.
create table held_work (
  workspace_id bigint not null,
  kind text not null check (kind in ('delivery', 'sign_up')),
  -- Of a delivery its webhook and its event; of a sign-up itself, twice.
  id uuid not null,
  part uuid not null,
  -- From when it was due.
  next_at timestamptz not null,
  primary key (workspace_id, kind, id, part)
);
