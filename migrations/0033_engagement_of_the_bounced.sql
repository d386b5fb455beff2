-- Opens and clicks of a recipient who bounced count for nothing (src/db/campaign-feedback.ts): more people opened than were reached,
-- and rates were above 1. What was counted of them is taken back here; later changes do it as they happen.

insert into campaign_tally (workspace_id, campaign_id, measure, label, count)
select b.workspace_id, b.campaign_id, v.measure, v.label, -count(*)
from (
  select m.workspace_id, m.campaign_id, m.subscriber_id from campaign_mishap m
  join campaign_recipient r on r.workspace_id = m.workspace_id and r.campaign_id = m.campaign_id and r.subscriber_id = m.subscriber_id
  where m.status = 'bounced' and r.status = 'bounced' and r.opened_at is not null
) b
cross join lateral (
  select measure, label from campaign_visit_count
  where workspace_id = b.workspace_id and campaign_id = b.campaign_id and subscriber_id = b.subscriber_id
) v
group by b.workspace_id, b.campaign_id, v.measure, v.label
on conflict (workspace_id, campaign_id, measure, label) do update set count = campaign_tally.count + excluded.count;

update campaign_recipient r set opened_at = null, clicked_at = null
from campaign_mishap m
where m.status = 'bounced' and r.workspace_id = m.workspace_id and r.campaign_id = m.campaign_id and r.subscriber_id = m.subscriber_id
  and r.status = 'bounced' and r.opened_at is not null;
