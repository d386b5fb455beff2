-- global tables only
-- How many mails the domains of an organisation sent to the mailboxes of a large receiver in a day: all workspaces together, single
-- mails and campaigns. Who once sent 5,000 in a day is a bulk sender to Gmail from then on.
create table sender_volume (
  -- The name below the public suffix, which receivers count by.
  organization text not null,
  receiver text not null,
  -- The newest day on which something left, of UTC, and how much.
  day date not null,
  mails bigint not null,
  highest_day date not null,
  highest_mails bigint not null,
  -- The first day of 5,000 mails or more; null: there was none.
  bulk_since date,
  primary key (organization, receiver)
);
