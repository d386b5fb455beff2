-- Drafts as their editor keeps them, and pictures that mails show.

-- Grows with each change of what is written: a change names the version that it was made from.
alter table campaign add column version integer not null default 1;
-- What the editor saved last, of all three ways of writing; null where something else wrote the campaign since.
alter table campaign add column draft json;
-- The draft holds what cannot be sent as it is; subject, source and sender are still those of before.
alter table campaign add column unfinished boolean not null default false;
-- The address of the person who saved it.
alter table campaign add column saved_by text;

-- Pictures of a workspace, each octets once. Mails that have left show them, so none is deleted.
create table image (
  workspace_id bigint not null references workspace (id),
  id uuid not null,
  -- SHA-256 of the octets; part of the public address.
  digest bytea not null,
  type text not null check (type in ('image/png', 'image/jpeg', 'image/gif', 'image/webp')),
  width integer not null,
  height integer not null,
  size integer not null,
  octets bytea not null,
  -- Of the file, as it was called.
  name text not null,
  created_at timestamptz not null,
  primary key (workspace_id, id)
);
create unique index image_digest on image (workspace_id, digest);
-- Pictures are compressed already.
alter table image alter column octets set storage external;
