update campaign set audience_frozen_at = frozen_at
where frozen_at is not null and (audience is not null or topic_id is not null);
-- A process of the previous version knows neither audiences nor topics, and would send to everybody, also what a newer process had
-- frozen before and was undone: it may not.
alter table campaign drop constraint if exists campaign_of_topic_is_frozen;
alter table campaign add constraint campaign_targeted_is_frozen
  check ((audience is null and topic_id is null) or status in ('draft', 'scheduled', 'archived')
    or coalesce(audience_frozen_at = frozen_at, false)) not valid;
