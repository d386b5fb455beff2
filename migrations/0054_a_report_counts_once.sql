-- 0054_partitions_of_reports.sql, the next file, gives the keys of reports and of notices the time at which they came, so that
-- `on conflict do nothing` of the previous version no longer refuses what came before. For one version, the tables refuse it
-- themselves. This version's statements look before they insert; the next version drops both triggers with their function.
create function facteur_refuse_repeated() returns trigger language plpgsql as $$
begin
  if tg_table_name like 'raw\_notice%' then
    -- Of two at once both are stored, which changes nothing: a report is stored with its recipient locked.
    if exists (select from raw_notice r where r.workspace_id = new.workspace_id and r.source = new.source and r.id = new.id) then
      return null;
    end if;
  elsif exists (select from feedback f
                where f.workspace_id = new.workspace_id and f.source = new.source and f.source_id = new.source_id) then
    return null;
  end if;
  return new;
end $$;

create trigger feedback_repeated before insert on feedback for each row execute function facteur_refuse_repeated();
create trigger raw_notice_repeated before insert on raw_notice for each row execute function facteur_refuse_repeated();
