-- Rows that are updated many times a second move in an index each second or ten, so that a look-up from its newest end passes only the
-- versions of that time, also while a foreign transaction keeps all of them (docs/decisions/0052). moved_at is when a row moved last.
-- A process of the previous version leaves it alone, and finds its row by the first columns. 0067 makes the indexes.
alter table campaign_run add column moved_at timestamptz not null default '-infinity';
alter table batch_sender add column moved_at timestamptz not null default '-infinity';
alter table request_rate add column moved_at timestamptz not null default '-infinity';
alter table provider_rate add column moved_at timestamptz not null default '-infinity';
alter table quota_usage add column moved_at timestamptz not null default '-infinity';
alter table reputation_day add column moved_at timestamptz not null default '-infinity';
