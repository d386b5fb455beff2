-- The line of a refused record as it stands in its file; null: only its address is stored.
alter table subscriber_import_refusal add column content text;
-- How the lines of a file are written: {"header", "lineEnd", "delimiter", "columns", "email"}; null of imports that an earlier release stored.
alter table subscriber_import add column layout jsonb;
alter table suppression_file add column layout jsonb;
-- The characters that divide the tags of one cell, as the user said; null: commas or semicolons.
alter table import_file add column tag_separators text;
