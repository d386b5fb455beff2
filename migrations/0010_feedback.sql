-- News of recipients: what was told whole, what bounces say, addresses that are soft again and again, and who was told of a suspension.

-- A notice as it came, kept once for all of its news and for a while only; cut, since what matters of it stands at its beginning.
create table feedback_raw (
  workspace_id bigint not null,
  source text not null,
  id text not null,
  bytes bytea not null,
  -- How long it was.
  octets integer not null,
  received_at timestamptz not null,
  primary key (workspace_id, source, id)
);
create index feedback_raw_age on feedback_raw (workspace_id, received_at);

alter table feedback
  -- Of a bounce: hard, soft, policy, other.
  add column bounce text,
  -- Enhanced status code, or else the reply code.
  add column code text,
  -- Of a complaint: the source's word for it.
  add column complaint text,
  -- When it happened, as the source says.
  add column occurred_at timestamptz,
  add column raw_id text;

-- The gravest that was told while it stands: hard of bounced, soft, policy or other of failed.
alter table recipient add column bounce text;
alter table campaign_recipient add column bounce text;

-- How often in a row an address was softly refused. It counts at least as many as the ledger holds, and is cheap; only where it
-- reaches the limit are the ledger's own lines counted (db/soft-bounces.ts).
create table soft_bounce (
  workspace_id bigint not null,
  email text not null,
  count integer not null,
  -- The hand-off of the first.
  first_at timestamptz not null,
  primary key (workspace_id, email)
);

alter table workspace
  -- Where notices to the workspace go; null: to its default sender.
  add column contact text,
  -- Since when it is known to be suspended, and was told so; null: it is not.
  add column suspended_at timestamptz;

-- What the planner knows before there is anything to know, as in 0002.
insert into soft_bounce (workspace_id, email, count, first_at)
select 0, n::text, 1, facteur_now() from generate_series(1, 5000) n;
insert into feedback_raw (workspace_id, source, id, bytes, octets, received_at)
select 0, '', n::text, '', 0, facteur_now() + n * interval '1 second' from generate_series(1, 5000) n;
analyze soft_bounce, feedback_raw;
delete from soft_bounce;
delete from feedback_raw;

do $$ declare name text; begin
  foreach name in array array['soft_bounce', 'feedback_raw'] loop
    execute format('alter table %I set (autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_insert_threshold = 20000, '
                   'autovacuum_analyze_threshold = 20000)', name);
  end loop;
end $$;
