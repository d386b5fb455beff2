-- Opens and clicks of a recipient who bounced count for nothing (src/db/campaign-feedback.ts): more people opened than were reached,
-- and rates were above 1. What was counted of them is taken back here; later changes do it as they happen.
-- One statement: rows and counters are of one snapshot, and recipients are locked before tallies, as services do (docs/decisions/0010).

with held as materialized (
  select r.workspace_id, r.campaign_id, r.subscriber_id from campaign_mishap m
  join campaign_recipient r on r.workspace_id = m.workspace_id and r.campaign_id = m.campaign_id and r.subscriber_id = m.subscriber_id
  where m.status = 'bounced' and r.status = 'bounced' and r.opened_at is not null
  order by r.workspace_id, r.campaign_id, r.subscriber_id for update of r
), cleared as (
  update campaign_recipient r set opened_at = null, clicked_at = null from held h
  where r.workspace_id = h.workspace_id and r.campaign_id = h.campaign_id and r.subscriber_id = h.subscriber_id
)
insert into campaign_tally (workspace_id, campaign_id, measure, label, count)
select h.workspace_id, h.campaign_id, v.measure, v.label, -count(*)
from held h
cross join lateral (
  select measure, label from campaign_visit_count
  where workspace_id = h.workspace_id and campaign_id = h.campaign_id and subscriber_id = h.subscriber_id
) v
group by h.workspace_id, h.campaign_id, v.measure, v.label
order by h.workspace_id, h.campaign_id, v.measure, v.label
on conflict (workspace_id, campaign_id, measure, label) do update set count = campaign_tally.count + excluded.count;
