-- outside a transaction
-- Workspaces live in cells: a cell is a schema with every table of workspace data, for a share of the workspaces
-- (docs/decisions/0060-cells.md). Cell 1 has the tables that there were; the global tables stay beside them.
create table if not exists cell (
  id integer primary key,
  schema text not null unique,
  made_at timestamptz not null default facteur_now(),
  -- False while the schema is made: nothing works on it.
  is_ready boolean not null default false
);
insert into cell (id, schema, is_ready) values (1, current_schema(), true) on conflict (id) do nothing;

-- Nothing deletes a cell, so no foreign key watches over it.
alter table workspace add column if not exists cell integer not null default 1;
create index concurrently if not exists workspace_cell on workspace (cell);

-- A table of a cell may be on another server than the workspaces. Nothing deletes a workspace.
alter table api_key drop constraint if exists api_key_workspace_id_fkey;
alter table domain drop constraint if exists domain_workspace_id_fkey;
alter table erased_suppression drop constraint if exists erased_suppression_workspace_id_fkey;
alter table former_provider drop constraint if exists former_provider_workspace_id_fkey;
alter table image_file drop constraint if exists image_file_workspace_id_fkey;
alter table import_file drop constraint if exists import_file_workspace_id_fkey;
alter table sender drop constraint if exists sender_workspace_id_fkey;
alter table subscriber drop constraint if exists subscriber_workspace_id_fkey;
alter table subscriber_import drop constraint if exists subscriber_import_workspace_id_fkey;
alter table suppression drop constraint if exists suppression_workspace_id_fkey;
alter table webhook drop constraint if exists webhook_workspace_id_fkey;
alter table workspace_provider drop constraint if exists workspace_provider_workspace_id_fkey;
