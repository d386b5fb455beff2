-- How often its mail, its audience or its topic became another: an approval is of one of them, also where it is changed back.
alter table campaign add column changes integer not null default 0;
