-- The address of the member who last wrote the content: unlike `saved_by`, a program that saves it takes nobody's name away.
alter table campaign add column content_changed_by text;
-- The address of the member who last chose its topic; `audience_changed_by` is of its audience alone.
alter table campaign add column topic_changed_by text;
-- The address of the member who last wrote its definition.
alter table segment add column changed_by text;
