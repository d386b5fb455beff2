-- First opens and clicks by hour of the first day, by day of the first week, and later: `opened_at` and `clicked_at` beside the windows of
-- six hours, which the specification names. Numbers are cast before they are joined: `'h' || 1` is no immutable function, of which Citus writes
-- a broken statement for its nodes. A process of the previous version counts none of them, and a recount adds what it left out.
create or replace view campaign_engagement_count as
select seen.workspace_id, seen.campaign_id, seen.subscriber_id, t.measure, t.label
from (
  select v.*, row_number() over own as nth,
    row_number() over (partition by v.workspace_id, v.campaign_id, v.subscriber_id, v.kind order by v.at, v.id) as nth_of_kind
  from engagement v
  where v.campaign_id is not null and v.visitor <> 'scanner'
  window own as (partition by v.workspace_id, v.campaign_id, v.subscriber_id order by v.at, v.id)
) seen
join campaign c on c.workspace_id = seen.workspace_id and c.id = seen.campaign_id
cross join lateral (select extract(epoch from seen.at - c.sent_at) / 21600 as window_of) w
cross join lateral (values
  ('opened', '', nth = 1),
  ('relayed', '', nth = 1 and visitor = 'relay'),
  ('opened_in', floor(window_of)::int::text, nth = 1 and window_of >= 0 and window_of < 8),
  ('opened_at', case
    when coalesce(window_of, 0) < 4 then 'h' || greatest(0, floor(coalesce(window_of, 0) * 6))::int::text
    when window_of < 28 then 'd' || floor(window_of / 4)::int::text else 'later' end, nth = 1),
  ('device', device, nth = 1),
  ('os', os, nth = 1),
  ('client', client, nth = 1),
  ('clicked', '', kind = 'click' and nth_of_kind = 1),
  ('clicked_in', floor(window_of)::int::text, kind = 'click' and nth_of_kind = 1 and window_of >= 0 and window_of < 8),
  ('clicked_at', case
    when coalesce(window_of, 0) < 4 then 'h' || greatest(0, floor(coalesce(window_of, 0) * 6))::int::text
    when window_of < 28 then 'd' || floor(window_of / 4)::int::text else 'later' end, kind = 'click' and nth_of_kind = 1),
  ('link', link_position::text, kind = 'click')
) t (measure, label, counts)
where t.counts;
