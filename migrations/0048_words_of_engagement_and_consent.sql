-- outside a transaction
-- The rest of the tables whose names the glossary replaced, as in 0047: a view has the former names of each, for one version.
do $$
declare
  former text; present text; renamed jsonb; item record;
begin
  for former, present, renamed in
    values
      ('visit', 'engagement', '{}'::jsonb),
      ('campaign_mishap', 'campaign_failure', '{}'),
      ('campaign_silence', 'campaign_assumed_delivery', '{"walked_to": "assumed_to"}'),
      ('consent', 'consent_evidence', '{"person": "recorded_by"}'),
      ('subscriber_file', 'import_file', '{"person": "user_email", "octets": "size", "octets_done": "bytes_done"}'),
      ('subscriber_file_piece', 'import_file_part', '{"octets": "content"}'),
      ('suppression_import', 'suppression_file', '{"octets": "size", "octets_done": "bytes_done"}')
  loop
    -- A run that was cut off goes on behind the last table that it renamed.
    continue when to_regclass(present) is not null;
    execute format('alter table %I rename to %I', former, present);
    for item in select key, value from jsonb_each_text(renamed) loop
      execute format('alter table %I rename column %I to %I', present, item.key, item.value);
    end loop;
    for item in
      select c.conname as name from pg_constraint c where c.conrelid = present::regclass and c.conname ~ ('^' || former || '_')
    loop
      execute format('alter table %I rename constraint %I to %I', present, item.name,
        regexp_replace(item.name, '^' || former, present));
    end loop;
    for item in
      select c.relname as name from pg_index i join pg_class c on c.oid = i.indexrelid
      where i.indrelid = present::regclass and c.relname ~ ('^' || former || '_')
    loop
      execute format('alter index %I rename to %I', item.name, regexp_replace(item.name, '^' || former, present));
    end loop;
    execute (
      select format('create view %I as select %s from %I', former,
        string_agg(format('%I as %I', a.attname,
          coalesce((select key from jsonb_each_text(renamed) where value = a.attname), a.attname)), ', ' order by a.attnum), present)
      from pg_attribute a where a.attrelid = present::regclass and a.attnum > 0 and not a.attisdropped);
    commit;
  end loop;
end $$;

-- A view is renamed with what it counts; its former name reads from it.
do $$
begin
  if to_regclass('campaign_engagement_count') is null then
    alter view campaign_visit_count rename to campaign_engagement_count;
    create view campaign_visit_count as select * from campaign_engagement_count;
  end if;
end $$;

do $$
begin
  if to_regproc('facteur_note_mishap') is not null then
    alter function facteur_note_mishap() rename to facteur_record_failure;
    alter trigger campaign_mishap on campaign_recipient rename to campaign_failure;
  end if;
end $$;

create or replace function facteur_record_failure() returns trigger language plpgsql as $$
begin
  insert into campaign_failure (workspace_id, campaign_id, status, subscriber_id)
  values (new.workspace_id, new.campaign_id, new.status, new.subscriber_id)
  on conflict do nothing;
  return null;
end $$;
