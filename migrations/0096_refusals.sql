-- Refusals that name their cause, by the sender's domain and the day (UTC): what the page of a domain, doctor and metrics count.
-- The causes are the names of src/mail/reports/refusals/. Rows hold no address of a recipient, and are deleted after a month.
create table refusal_day (
  workspace_id bigint not null,
  day date not null,
  domain text not null,
  cause text not null,
  refusals bigint not null,
  last_at timestamptz not null,
  -- The sending address that the last refusal which named one was about.
  address text,
  primary key (workspace_id, day, domain, cause)
);

-- Of the delivered: how many are so because no bounce came. Null: counted by a version that did not tell them apart.
alter table mail_part add column assumed bigint;
alter table mail_day add column assumed bigint;
