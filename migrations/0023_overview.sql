-- What became of the mails of a day, counted when somebody looks at the overview and kept for the next who does: a day of the past
-- hardly changes, and counting thirty of them anew for every look would read the whole ledger.
create table mail_day (
  workspace_id bigint not null,
  -- UTC; of single messages the day they were accepted, of campaigns the day their list was frozen.
  day date not null,
  delivered bigint not null,
  bounced bigint not null,
  complained bigint not null,
  failed bigint not null,
  -- Neither good news nor bad news yet, those still to be handed over included.
  waiting bigint not null,
  counted_at timestamptz not null,
  primary key (workspace_id, day)
) with (fillfactor = 50);
