-- outside a transaction
-- The contacts that there are, less what the triggers noted since they exist: one statement sees one moment, so nobody is counted twice.
-- Who left was subscribed before, which makes the days of the last weeks true; since when an address bounces is not known.
with counted as materialized (
  select workspace_id, status, day, sum(change)::bigint as change
  from (
    select workspace_id, status,
      (case status when 'unsubscribed' then unsubscribed_at else coalesce(confirmed_at, created_at) end at time zone 'UTC')::date as day,
      1 as change
    from subscriber
    union all
    select workspace_id, 'subscribed', (coalesce(confirmed_at, created_at) at time zone 'UTC')::date, 1
    from subscriber where status = 'unsubscribed' and unsubscribed_at is not null
    union all
    select workspace_id, 'subscribed', (unsubscribed_at at time zone 'UTC')::date, -1
    from subscriber where status = 'unsubscribed' and unsubscribed_at is not null
    union all
    select workspace_id, status, day, -change from subscriber_status_tally
  ) changes
  group by workspace_id, status, day
  having sum(change) <> 0
)
insert into subscriber_status_tally (workspace_id, status, day, change)
select workspace_id, status, day, change from counted;
