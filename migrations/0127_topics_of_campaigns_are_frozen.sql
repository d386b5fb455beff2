-- outside a transaction
-- No row can break it: the column is as new as the condition. Reads and writes go on meanwhile.
alter table campaign validate constraint campaign_of_topic_is_frozen;
