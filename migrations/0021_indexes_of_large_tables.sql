-- outside a transaction
-- Indexes of tables that may be large, made while processes of the version before write them, and what must not hold these up.
-- Each statement changes nothing where it is done again.

-- Delivered is what most messages are: where few are, they are found by this.
create index concurrently if not exists recipient_delivered on recipient (workspace_id, message_id) where status = 'delivered';

-- The log lists campaigns' mails under the time when their list was frozen.
create index concurrently if not exists campaign_frozen on campaign (workspace_id, frozen_at, id) where frozen_at is not null;

-- Which mail an event tells of (0018).
create index concurrently if not exists event_mail on event (workspace_id, facteur_event_mail(body)) where facteur_event_mail(body) is not null;

-- Whom nobody has looked at yet (0019).
create index concurrently if not exists subscriber_search_untraited on subscriber_search (workspace_id, subscriber_id) where traits is null;

-- Requests by programs that look through mail count for nothing (0006), and people are told how many were kept out: counted from
-- this index alone, which holds nothing else.
create index concurrently if not exists visit_of_scanner on visit (workspace_id, campaign_id, kind)
  where visitor = 'scanner' and campaign_id is not null;

-- Of whom it is noted why they were not sent it: few of a list, and found without a look at all the others. Their updates alone move
-- within the index: of every other one this column stays what it was, and so it stays out of their way (PostgreSQL: heap-only tuples).
create index concurrently if not exists campaign_recipient_noted on campaign_recipient (workspace_id, campaign_id, subscriber_id)
  where error is not null;

-- What is delivered is most of a journal, and costs this index no more than its insertion.
create index concurrently if not exists webhook_delivery_undelivered on webhook_delivery (workspace_id, webhook_id, status, event_id)
  where status <> 'delivered';

-- What went wrong before the trigger was there (0018), campaign by campaign.
do $$ declare c record; begin
  for c in select workspace_id, id from campaign loop
    insert into campaign_mishap (workspace_id, campaign_id, status, subscriber_id)
    select workspace_id, campaign_id, status, subscriber_id from campaign_recipient
    where workspace_id = c.workspace_id and campaign_id = c.id and status in ('bounced', 'complained', 'failed', 'suppressed')
    on conflict do nothing;
    commit;
  end loop;
end $$;

-- Every admission debits the month: whose row is another than a moment ago has messages that are not indexed.
create index concurrently if not exists quota_usage_month on quota_usage (month);
