-- Workspaces that share a quota; who was erased while files of people waited; the language that visitors signed up in.

alter table workspace
  -- The workspace whose plan and quota this one has with it: beside which people made it. Null: its own. Never one that shares itself.
  add column quota_of bigint references workspace (id);
create index workspace_quota_of on workspace (quota_of) where quota_of is not null;

alter table sign_up
  -- Of the page that the visitor was shown; null: nobody noted it.
  add column language text;

-- Who was erased of late: a file of people that is older than that does not bring them back. Kept while there is such a file.
create table erased_person (
  workspace_id bigint not null,
  -- facteur_erasure_digest(salt of the workspace, lower-cased address).
  digest bytea not null,
  erased_at timestamptz not null,
  primary key (workspace_id, digest)
);

-- What the planner knows before there is anything to know (see 0002): a digest names one person.
insert into erased_person (workspace_id, digest, erased_at)
select 0, sha256(n::text::bytea), facteur_now() from generate_series(1, 5000) n;

analyze erased_person;

delete from erased_person where workspace_id = 0;

alter table erased_person set (autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_insert_threshold = 20000, autovacuum_analyze_threshold = 20000);
