-- outside a transaction
-- The rows of before have the former purposes, which are all among the new ones.
alter table dns_record validate constraint dns_record_purpose_check;
