-- Campaigns in the pages of a workspace.

-- Requests by programs that look through mail count for nothing (0006), and people are told how many were kept out: counted from
-- this index alone, which holds nothing else.
create index visit_of_scanner on visit (workspace_id, campaign_id, kind) where visitor = 'scanner' and campaign_id is not null;

-- Of whom it is noted why they were not sent it: few of a list, and found without a look at all the others. Their updates alone move
-- within the index: of every other one this column stays what it was, and so it stays out of their way (PostgreSQL: heap-only tuples).
create index campaign_recipient_noted on campaign_recipient (workspace_id, campaign_id, subscriber_id) where error is not null;
