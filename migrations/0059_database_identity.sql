-- Which database this is, as PostgreSQL itself tells. A start that finds other values runs on a copy that other tools made, and holds
-- what was pending in it (docs/decisions/0049-backups.md). Backups and copies by Facteur leave this table out.
create table database_identity (
  only_row boolean primary key default true check (only_row),
  -- Null: the role may not ask for it.
  system_identifier text,
  timeline integer,
  -- Of the database, and of this table.
  database_oid bigint not null,
  table_oid bigint not null,
  -- What showed that it is a copy; null: it is none, or a person has said so before (`facteur restore hold`).
  copy_shown_by text
);
