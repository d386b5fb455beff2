-- outside a transaction
-- Tables and columns take the words of the glossary (CONTRIBUTING.md, Words). A view has the former names of each, so that
-- processes of the version before go on. The next version drops these views (docs/decisions/0047).
do $$
declare
  former text; present text; renamed jsonb; item record;
begin
  for former, present, renamed in
    values
      ('person', 'user_account', '{}'::jsonb),
      ('person_link', 'user_link', '{"person_id": "user_id"}'),
      ('membership', 'workspace_member', '{"person_id": "user_id"}'),
      ('session', 'user_session', '{"person_id": "user_id"}'),
      ('passkey', 'user_passkey', '{"person_id": "user_id"}'),
      ('passkey_challenge', 'user_passkey_challenge', '{"person_id": "user_id"}'),
      ('audit_entry', 'audit_log', '{"person_id": "user_id"}'),
      ('sign_in_brake', 'sign_in_rate', '{}'),
      ('sign_up_brake', 'sign_up_rate', '{}'),
      ('erased_person', 'erased_contact', '{}'),
      ('subscriber_unsearched', 'subscriber_search_pending', '{}'),
      ('image', 'image_file', '{"octets": "content"}'),
      ('feedback_raw', 'raw_notice', '{"octets": "size"}'),
      ('domain_record', 'dns_record', '{"told_at": "announced_at"}')
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
        replace(regexp_replace(item.name, '^' || former, present), 'person', 'user'));
    end loop;
    for item in
      select c.relname as name from pg_index i join pg_class c on c.oid = i.indexrelid
      where i.indrelid = present::regclass and c.relname ~ ('^' || former || '_')
    loop
      execute format('alter index %I rename to %I', item.name,
        replace(regexp_replace(item.name, '^' || former, present), 'person', 'user'));
    end loop;
    execute (
      select format('create view %I as select %s from %I', former,
        string_agg(format('%I as %I', a.attname,
          coalesce((select key from jsonb_each_text(renamed) where value = a.attname), a.attname)), ', ' order by a.attnum), present)
      from pg_attribute a where a.attrelid = present::regclass and a.attnum > 0 and not a.attisdropped);
    commit;
  end loop;
end $$;
