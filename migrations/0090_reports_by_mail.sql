-- Reports that mailbox providers send by mail to the fixed addresses: complaints, DMARC aggregate reports, TLS reports. Each of the days
-- is a day by UTC, as its first moment.

-- Public halves of the keys of removed domains: a complaint of a mail that left before is verified by them. Deleted after 180 days, when
-- complaints no longer count.
create table former_domain_key (
  workspace_id bigint not null,
  domain text not null,
  selector text not null,
  algorithm text not null check (algorithm in ('rsa-sha256', 'ed25519-sha256')),
  public_key text not null,
  removed_at timestamptz not null,
  primary key (workspace_id, domain, selector)
);

-- Complaints by the domain that signed the mail, or that the report names as such, and by the domain that reported.
create table complaint_day (
  workspace_id bigint not null,
  domain text not null,
  day timestamptz not null,
  reporter text not null,
  -- Those whose mail carries our own signature. The others may be forged, and changed nothing.
  verified bigint not null,
  unverified bigint not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  primary key (workspace_id, domain, day, reporter)
);

-- Each DMARC or TLS report counts once.
create table domain_report (
  workspace_id bigint not null,
  domain text not null,
  day timestamptz not null,
  kind text not null check (kind in ('dmarc', 'tlsrpt')),
  -- A digest of the reporter and its own identifier of the report.
  digest bytea not null,
  received_at timestamptz not null,
  primary key (workspace_id, domain, day, kind, digest)
);

-- Mail that receivers saw with a domain in From, by where it came from (RFC 9990).
create table dmarc_source (
  workspace_id bigint not null,
  domain text not null,
  day timestamptz not null,
  reporter text not null,
  -- Whether the mail that brought the report was signed by the reporter's own domain.
  proven boolean not null,
  -- The address that the mail came from; empty: all beyond the limit of rows.
  source text not null,
  -- The domain in From: this domain or one below it.
  header_from text not null,
  -- Whether DKIM and SPF passed in alignment with it, and what the receiver did.
  dkim boolean not null,
  spf boolean not null,
  disposition text not null check (disposition in ('none', 'quarantine', 'reject')),
  -- Whether one of our own keys signed it.
  ours boolean not null,
  -- What signed it, and whose return path it had; null: the report does not say.
  dkim_domain text,
  spf_domain text,
  messages bigint not null,
  primary key (workspace_id, domain, day, reporter, proven, source, header_from, dkim, spf, disposition, ours)
);

-- Sessions of senders that deliver to a domain, or to the host of its return paths (RFC 8460).
create table reported_tls_result (
  workspace_id bigint not null,
  domain text not null,
  day timestamptz not null,
  reporter text not null,
  proven boolean not null,
  -- The policy that the sender found for this name: the domain, or the host of its return paths.
  policy_domain text not null,
  policy text not null,
  -- The host that it reached; empty: the report does not say.
  host text not null,
  -- `success`, or the kind of failure.
  result text not null,
  sessions bigint not null,
  primary key (workspace_id, domain, day, reporter, proven, policy_domain, policy, host, result)
);
