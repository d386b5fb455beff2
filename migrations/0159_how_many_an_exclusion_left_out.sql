-- How many each exclusion left out at the freeze, by its position. Null: there was none, or a process of the previous
-- version froze the list.
alter table campaign add column except_left json;
