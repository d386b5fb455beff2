-- A change of many contacts at once, or an export of them: whom it is for is frozen when it begins.
create table bulk_change (
  workspace_id bigint not null,
  id uuid not null,
  -- tag, untag, set_field, unsubscribe, erase, export.
  action text not null,
  -- The tag, the field and its value, or the reason, which is deleted at the end.
  parameters jsonb not null default '{}',
  -- waiting → running → completed or stopped; an export is completed at once.
  state text not null,
  -- How many were frozen, how many were worked off, and how many of those changed.
  contacts bigint not null,
  done bigint not null default 0,
  changed bigint not null default 0,
  -- How many were left out for each reason.
  left_out jsonb not null default '{}',
  -- The contact up to which all are worked off.
  position uuid not null default '00000000-0000-0000-0000-000000000000',
  -- Whether it ends after the present contact.
  stopping boolean not null default false,
  -- One of the few that a workspace has while a change has not ended.
  slot smallint,
  -- From when it may be claimed; of a claimed one, when its lease ends.
  next_at timestamptz,
  fence bigint not null default 0,
  user_email text not null,
  created_at timestamptz not null,
  ended_at timestamptz,
  primary key (workspace_id, id)
) with (autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_insert_threshold = 20000,
    autovacuum_analyze_threshold = 20000);
create unique index bulk_change_slot on bulk_change (workspace_id, slot) where slot is not null;
create index bulk_change_work on bulk_change (workspace_id, next_at) where next_at is not null;
create table bulk_change_contact (
  workspace_id bigint not null,
  bulk_change_id uuid not null,
  subscriber_id uuid not null,
  -- What became of the contact, where that is stored before the position: changed, or why not.
  outcome text,
  primary key (workspace_id, bulk_change_id, subscriber_id)
) with (autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_insert_threshold = 20000,
    autovacuum_analyze_threshold = 20000);
