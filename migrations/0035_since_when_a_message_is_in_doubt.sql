-- When a hand-off last ended without an answer. Null where there is no doubt, or where a process of the version before wrote it.
alter table recipient add column doubted_at timestamptz;
