-- global tables only
-- By its IANA name: days of conditions are those of this zone. Null: UTC.
alter table workspace add column time_zone text;
