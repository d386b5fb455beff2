-- What receivers demand of domains, and what Google's Postmaster Tools say of them.

-- Domains that Postmaster Tools show to the account of the installation, each in every workspace that has verified it.
create table postmaster_domain (
  workspace_id bigint not null,
  domain text not null,
  read_at timestamptz not null,
  -- When the first spam rate of a day came; null: none yet.
  first_rate_at timestamptz,
  -- Requirements of Gmail that it says need work, and those that it says are met, in Google's words.
  needs_work text[] not null,
  compliant text[] not null,
  -- Why it could not be read the last time; null: it was.
  problem text,
  primary key (workspace_id, domain),
  foreign key (workspace_id, domain) references domain (workspace_id, name) on delete cascade
);

-- Which share of a day's mails Gmail's users reported as spam. It outlives its domain: who removes the domain ends no suspension.
create table postmaster_day (
  workspace_id bigint not null,
  domain text not null,
  day date not null,
  spam_rate double precision not null,
  primary key (workspace_id, domain, day)
);

-- Which of the large receivers' requirements a domain meets. A row changes only when the result does.
create table domain_compliance (
  workspace_id bigint not null,
  domain text not null,
  -- As in src/contract/compliance.ts.
  requirement text not null,
  state text not null check (state in ('met', 'not_met', 'unknown', 'not_applicable')),
  -- Why, in a word, and the figures and names that a sentence about it has.
  reason text not null,
  details jsonb not null,
  -- The DNS record that would meet it; null: no record would.
  record jsonb,
  -- Since when it is in this state.
  since timestamptz not null,
  primary key (workspace_id, domain, requirement),
  foreign key (workspace_id, domain) references domain (workspace_id, name) on delete cascade
);
