-- How many of a day's mails left, were opened and clicked. Null: counted by a version that did not count them.
alter table mail_part
  add column sent bigint,
  add column opened bigint,
  -- Of the opened: first through a privacy relay.
  add column opened_by_relay bigint,
  add column clicked bigint;
alter table mail_day
  add column sent bigint,
  add column opened bigint,
  add column opened_by_relay bigint,
  add column clicked bigint;
