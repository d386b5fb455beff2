-- outside a transaction
-- Existing rows have the former purposes, which are all among the allowed ones.
alter table dns_record validate constraint dns_record_purpose_check;
