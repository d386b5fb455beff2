-- Where answers to a campaign go, as the header names it. Empty: to its sender.
alter table campaign add column reply_to text[] not null default '{}';
