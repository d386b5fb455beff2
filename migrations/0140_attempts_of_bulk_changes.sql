-- How many times in a row the change was claimed without a contact worked off.
alter table bulk_change add column if not exists attempts smallint not null default 0;
