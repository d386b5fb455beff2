-- Campaigns in the pages of a workspace.

-- Requests by programs that look through mail count for nothing (0006), and people are told how many were kept out: counted from
-- this index alone, which holds nothing else.
create index visit_of_scanner on visit (workspace_id, campaign_id, kind) where visitor = 'scanner' and campaign_id is not null;
