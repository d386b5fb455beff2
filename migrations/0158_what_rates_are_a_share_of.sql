-- How many of the mails that arrived have tracking of opens, and of clicks: rates are a share of them.
-- Null: a process of the previous version counted.
alter table mail_day add column opens_tracked bigint, add column clicks_tracked bigint;
alter table mail_part add column opens_tracked bigint, add column clicks_tracked bigint;
