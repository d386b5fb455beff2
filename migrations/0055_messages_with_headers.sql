-- outside a transaction
-- Free headers expire with the texts of a message: they are found among all messages without a look at each.
create index concurrently if not exists message_headers on message (workspace_id, id) where head #>> '{headers,0,0}' is not null;
