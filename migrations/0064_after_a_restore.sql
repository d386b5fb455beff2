-- What a restore left: since when, from which moment, and the work of then that a person has to decide on.

-- restored_at: a copy of another database was loaded. restored_from: the moment that the copy shows; null: not known.
-- held_at: since then the work that was pending in the copy is held; null after restored_at: the next start holds it.
alter table installation add column restored_at timestamptz, add column restored_from timestamptz, add column held_at timestamptz;

-- A lane that no worker claims from: single mails wait there for `facteur restore release` or `discard`, whatever their state.
alter table recipient drop constraint if exists recipient_lane_check;
alter table recipient add constraint recipient_lane_check check (lane in ('transactional', 'campaign', 'held')) not valid;

-- Other work that a restore holds: what it was and when it was due, since its own row says so no more.
create table held_work (
  workspace_id bigint not null,
  kind text not null check (kind in ('campaign', 'delivery', 'sign_up', 'import')),
  -- A webhook delivery is found by its webhook and its event; the others by one id, here twice.
  id uuid not null,
  part uuid not null,
  -- Of a delivery and a sign-up: when it was due. Of a campaign: when it is scheduled for, or since when it was paused.
  at timestamptz,
  -- Of a campaign: `scheduled`, or why it was paused already; null: it was sending.
  was text,
  primary key (workspace_id, kind, id, part)
);
