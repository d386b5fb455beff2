-- Whether a report had more records than are read: the others count nowhere, and its page says so.
alter table domain_report add column is_cut boolean not null default false;
