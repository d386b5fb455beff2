-- Domains that prove themselves in DNS: their DKIM keys, what was found of their records, and when to look again.

alter table domain
  -- What made it verified: its records, or the operator's word (null is the operator's too: before this there was nothing else).
  -- What the operator answers for is not taken back by DNS.
  add column verified_by text check (verified_by in ('dns', 'operator')),
  -- Subdomains of it, as A-labels; null is the usual one.
  add column return_path_host text,
  add column tracking_host text,
  add column checked_at timestamptz,
  -- From when its records are looked at again; moved ahead by whoever begins to. Null: it has no keys yet.
  add column next_check_at timestamptz;

-- A pair is an RSA and an Ed25519 key; rotation makes the next pair while the one before still signs.
--   waiting   listed, to be published; signs nothing
--   signing   found in DNS
--   retiring  replaced: what it signed may still be read, so it stays listed until retire_at
--   retired   its private half is erased
create table domain_key (
  workspace_id bigint not null,
  domain text not null,
  selector text not null,
  pair integer not null,
  algorithm text not null check (algorithm in ('rsa-sha256', 'ed25519-sha256')),
  state text not null check (state in ('waiting', 'signing', 'retiring', 'retired')),
  -- p= of its record (RFC 6376 3.6.1, RFC 8463 4.2).
  public_key text not null,
  -- PKCS #8 in base64, sealed for this workspace, domain and selector.
  private_key bytea check ((private_key is null) = (state = 'retired')),
  created_at timestamptz not null,
  signing_at timestamptz,
  retire_at timestamptz,
  primary key (workspace_id, domain, selector),
  foreign key (workspace_id, domain) references domain (workspace_id, name) on delete cascade
);

-- What the last looks at a record found.
create table domain_record (
  workspace_id bigint not null,
  domain text not null,
  name text not null,
  type text not null,
  purpose text not null check (purpose in ('dkim', 'return_path', 'spf', 'dmarc', 'tracking')),
  status text not null check (status in ('found', 'wrong', 'missing', 'unanswered')),
  found text[] not null,
  -- What is wrong with what was found, in a word; null when nothing.
  problem text,
  -- Goes by it: from when it was found until it was missed often enough, for long enough.
  in_use boolean not null,
  missed_since timestamptz,
  misses integer not null,
  -- That the workspace was told that it is gone.
  told_at timestamptz,
  checked_at timestamptz not null,
  primary key (workspace_id, domain, name, type),
  foreign key (workspace_id, domain) references domain (workspace_id, name) on delete cascade
);

create index domain_check on domain (workspace_id, next_check_at);
