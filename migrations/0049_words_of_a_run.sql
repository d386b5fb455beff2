-- outside a transaction
-- The progress of a campaign's run takes the words of the glossary, as tables did in 0047: a view has the former names.
do $$
declare
  former text; present text; renamed jsonb; item record;
begin
  for former, present, renamed in
    values
      ('campaign_progress', 'campaign_run', '{"walked_to": "claimed_to", "judged_hand_offs": "checked_hand_offs",
        "judged_bounces": "checked_bounces", "judged_complaints": "checked_complaints", "canary_judged_at": "canary_checked_at"}'::jsonb)
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
