-- How often a worker was lost that had claimed this recipient and left nothing: the first of these losses is no trouble.
alter table campaign_recipient add column losses smallint not null default 0;
