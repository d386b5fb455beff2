-- The log of calls: a row for each call of the API or of MCP with a key of the workspace (docs/decisions/0053).
-- Its key carries the time of the call (UUIDv7), so that its partitions are days and expire by being dropped.
-- No foreign key and no body: a row is written behind the answer, and nothing else depends on it.
create table request_log (
  workspace_id bigint not null,
  id uuid not null,
  key_id uuid not null,
  -- Null: no operation has the address, or a message of MCP that calls no tool.
  operation text,
  mcp boolean not null,
  -- 499: the caller left before its request was whole.
  status smallint not null,
  code text,
  duration_us integer not null,
  request_id text not null,
  address text not null,
  -- The message that the call made, the first of a batch; a repeated call has that of the original.
  message_id uuid,
  -- All of them, in their order, where the call made several.
  message_ids uuid[],
  campaign_id uuid,
  -- How many calls the row stands for: 1, or more where calls came faster than the log stores them.
  calls integer not null,
  primary key (workspace_id, id)
) partition by range (id);

-- Receives every row for which no day has been made.
create table request_log_default partition of request_log default;

create index request_log_by_key on request_log (workspace_id, key_id, id);
create index request_log_by_request on request_log (workspace_id, request_id, id);
create index request_log_of_message on request_log (workspace_id, message_id) where message_id is not null;
create index request_log_refused on request_log (workspace_id, id) where status >= 400;
