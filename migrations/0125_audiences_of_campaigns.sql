-- Whom a campaign goes to, where that is not everybody subscribed: a segment or tags, and exclusions.
alter table campaign add column audience json;
-- The same with the definitions and versions that the list was frozen by.
alter table campaign add column frozen_audience json;
create trigger campaign_audience before update of status on campaign for each row
  when (new.status = 'sending' and new.audience is not null and new.frozen_audience is null)
  execute function facteur_refuse_everybody();
