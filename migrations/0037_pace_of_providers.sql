-- The pace of providers is measured, so that a provider that asks for a slower one gets half of what it really took.

create table provider_pace (
  provider text not null,
  -- One process: it makes its identifier when it starts.
  process uuid not null,
  -- Mails that the provider accepted from this process in a second.
  per_second double precision not null,
  measured_at timestamptz not null,
  primary key (provider, process)
);

alter table provider_rate
  -- The episode of refusals: its begin, the pace before it (null: not measured), and since when the pace is what it is.
  add column throttled_since timestamptz,
  add column former_per_second double precision,
  add column lowered_at timestamptz;
