-- Names a field in conditions, which a second definition of its key does not take over.
alter table subscriber_field add column id uuid not null default gen_random_uuid();
-- How a field's values are read: text, number, date, boolean or choice. They are stored as they came.
alter table subscriber_field add column type text not null default 'text';
-- What a value of a choice may be.
alter table subscriber_field add column choices text[] not null default '{}';
