-- The time zone whose days were counted. A process of the version before counts days of UTC, and says nothing of it.
alter table mail_day add column zone text not null default 'UTC';
alter table mail_part add column zone text not null default 'UTC';
-- When the status changed: which day that is depends on the time zone. Null: of a row before this column, or a folded one.
alter table subscriber_status_tally add column at timestamptz;
alter table subscriber_status_tally alter column at set default facteur_now();
