-- Addresses whose hard bounce or complaint counted towards the reputation: each counts once in thirty days.
create table reputation_address (
  workspace_id bigint not null,
  kind text not null check (kind in ('bounce', 'complaint')),
  email text not null,
  counted_at timestamptz not null,
  primary key (workspace_id, kind, email)
);

-- Of the verified ones: those that a mailbox provider sent, as its signature proves. Only these count towards the reputation.
alter table complaint_day add column proven bigint not null default 0;
