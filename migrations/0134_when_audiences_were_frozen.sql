-- The freeze that the audience and the topic were taken by: `frozen_at` of it. A process of the previous version writes another.
alter table campaign add column audience_frozen_at timestamptz;
