-- The key that a program brought the file with; null: a user of the workspace did.
alter table import_file add column api_key_id uuid;
