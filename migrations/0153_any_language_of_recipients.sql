-- global tables only
-- The contract has the list of languages for recipients: a further one needs no migration. A process of the previous version
-- writes fr and en alone.
alter table workspace drop constraint if exists workspace_language_check;
