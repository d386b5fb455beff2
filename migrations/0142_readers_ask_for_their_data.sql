-- global tables only
-- Whether contacts may ask on their page for what is stored about them, and have it mailed.
alter table workspace add column data_requests boolean not null default false;
