-- The migration that the cell has already while others do not: it is applied to each cell in turn. What is noted in schema_migration
-- or compatible_migration, every cell has.
alter table cell add column ahead text;
