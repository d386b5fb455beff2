-- When the expired rows of a table that go in batches were last all deleted; null: nobody has looked yet. Where that is long ago, they
-- are deleted at any hour rather than at night.
alter table partition_upkeep add column if not exists batches_completed_at timestamptz;
