-- When a campaign's recipient was claimed for the first time: the Date of their mail, also when it is repeated or released. Null where
-- nobody was claimed, or where a process of the version before claimed.
alter table campaign_recipient add column first_claimed_at timestamptz;
