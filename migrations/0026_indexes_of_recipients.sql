-- outside a transaction
-- Who of a campaign's list clicked, and who left by it: a few among many, found without a look at all the others. What is wanted of a
-- list for other reasons is noted elsewhere already (campaign_mishap, visit_of_campaign, campaign_recipient_noted).

-- A click is an insertion here; an open, and what looks through mail, is none of it.
create index concurrently if not exists visit_of_clicker on visit (workspace_id, campaign_id, subscriber_id)
  where kind = 'click' and visitor <> 'scanner' and campaign_id is not null;

-- Hand-offs, news, opens and clicks leave this column what it was, and stay out of the index's way (0021).
create index concurrently if not exists campaign_recipient_left on campaign_recipient (workspace_id, campaign_id, subscriber_id)
  where unsubscribed_at is not null;
