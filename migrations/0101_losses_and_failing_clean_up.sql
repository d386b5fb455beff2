-- How often a worker was lost that had claimed this recipient and left nothing: the first of these losses is no trouble.
alter table campaign_recipient add column losses smallint not null default 0;

-- What the last round of the clean-up of this cell failed at; empty after a round that did all.
create table clean_up_failure (
  -- The table whose rows were left.
  table_name text primary key,
  -- The slug of the first workspace that it failed for; null: it was for none of them.
  workspace text,
  -- How many more it failed for.
  others integer not null,
  error text not null,
  -- Of the first round in a row that failed at this table.
  since timestamptz not null
);
