-- When the next confirmation of a batch or a file by key may leave, and how many of them leave in a minute. No row: now, at the usual pace.
create table confirmation_pace (
  workspace_id bigint primary key,
  per_minute integer not null default 60,
  next_at timestamptz not null
);
-- The answer of a call that a key stands for, where that is no message; null of messages.
alter table idempotency_key add column answer jsonb;
