-- Whether an erasure that has not ended made the entry: its address was not suppressed before, and may be added again afterwards.
alter table suppression add column if not exists erasing boolean not null default false;
