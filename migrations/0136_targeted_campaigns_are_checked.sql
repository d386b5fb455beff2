-- outside a transaction
-- 0135 has given each frozen row its date.
alter table campaign validate constraint campaign_targeted_is_frozen;
-- The constraint refuses what it did. Citus drops no trigger of a cell without the setting.
set citus.enable_unsafe_triggers = 'on';
drop trigger if exists campaign_audience on campaign;
reset citus.enable_unsafe_triggers;
