-- Parts of the audience by a definition.
create table segment (
  workspace_id bigint not null,
  id uuid not null,
  name text not null,
  -- In the contract's form, with fields by their identifiers.
  definition jsonb not null,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (workspace_id, id)
);
create unique index segment_name on segment (workspace_id, lower(name));
-- The sign-up form that a contact came by; null: another way, or a form before it was stored.
alter table subscriber add column form_id uuid;
-- The language that the contact chose, fr or en; null: none.
alter table subscriber add column if not exists language text;
