-- Names a field in conditions, which a second definition of its key does not take over. The next
-- file fills it: a default for each row would rewrite the table while nobody reads it.
alter table subscriber_field add column id uuid;
alter table subscriber_field alter column id set default gen_random_uuid();
-- How a field's values are read: text, number, date, boolean or choice. They are stored as they came.
alter table subscriber_field add column type text not null default 'text';
-- What a value of a choice may be.
alter table subscriber_field add column choices text[] not null default '{}';
