-- global tables only
-- How encryption went with the domains that mail goes to (RFC 8460 4.3), by day, over all workspaces.

create table tls_session (
  day date not null,
  -- The recipients' domain; empty: many together.
  domain text not null,
  policy text not null check (policy in ('tlsa', 'sts', 'no-policy-found')),
  result text not null,
  sessions bigint not null,
  primary key (day, domain, policy, result)
);
