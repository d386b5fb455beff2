-- Refusals by their code, and failures of the service: the index of all refusals passes thousands of others before a rare one.
-- The table came after the last release (0063), so it is empty where a release is upgraded. Successes have no entry in either.
create index request_log_by_code on request_log (workspace_id, code, id) where status >= 400;
create index request_log_failed on request_log (workspace_id, id) where status >= 500;
