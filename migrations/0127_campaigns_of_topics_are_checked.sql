-- outside a transaction
-- No campaign had a topic before the constraint came, so that each row holds it.
alter table campaign validate constraint campaign_of_topic_is_frozen;
