-- global tables only
-- How many mails came to the fixed addresses for reports, by what became of them.
create table report_tally (
  kind text not null check (kind in ('fbl', 'dmarc', 'tlsrpt')),
  outcome text not null,
  -- A day by UTC, as its first moment.
  day timestamptz not null,
  mails bigint not null,
  last_at timestamptz not null,
  primary key (kind, outcome, day)
);
