-- outside a transaction
-- Large tables become partitioned by time (docs/decisions/0048). This file has what each of them needs.

-- What the upkeep of partitions did, for operators.
create table if not exists partition_upkeep (
  table_name text primary key,
  made bigint not null default 0,
  dropped bigint not null default 0,
  -- Rows that a default partition had taken and that moved to their own.
  moved bigint not null default 0,
  -- Rows that were deleted in batches: those of workspaces with shorter limits, and expired ones of a default partition.
  deleted bigint not null default 0,
  default_rows bigint not null default 0,
  succeeded_at timestamptz,
  failed_at timestamptz,
  error text
);

-- Bytes of a message's texts and files, so that a claim needs no look at them. Null: admitted by a process of the version before.
alter table message add column if not exists size integer;

-- For a message without a size. A function, so that statements open the partitions of bodies only when they ask.
create or replace function facteur_message_size(tenant bigint, mail uuid) returns integer language plpgsql stable as $$
begin
  return coalesce((select coalesce(octet_length(html), 0) + coalesce(octet_length(text), 0) from message_body
                   where workspace_id = tenant and message_id = mail), 0)
    + (select coalesce(sum(octet_length(content)), 0) from attachment where workspace_id = tenant and message_id = mail);
end $$;

-- Makes a table the first partition of a partitioned one, without a copy of its rows, while others read and write it.
--
-- 1. A table of more than 64 MB gets the bound as a check that is validated beforehand: reads and writes go on meanwhile. It
--    lies 14 days ahead, so that a migration which was cut off refuses nothing until then; the next start goes on with it.
-- 2. In one transaction of milliseconds: the table gets the name of a partition, the partitioned table its former one, with
--    the same columns, indexes, triggers and rights; the table is attached, and so is a default partition. No other table is
--    locked, so that nobody can wait for us in a circle. The table must have no foreign key.
-- 3. Views read the partitioned table.
--
-- A wait for a lock ends after two seconds, and the call is made again (src/db/connection/short-locks.ts).
--
-- Unique indexes besides the primary key go: PostgreSQL has none over all partitions without the key.
--
-- `key` is a column of the primary key: a UUID that begins with its time, or a time.
create or replace procedure facteur_partition(name text, key text) language plpgsql as $$
declare
  bytes bigint; is_large boolean; edge text; first text; parent text := name; line text; item record;
begin
  if (select relkind from pg_class where oid = to_regclass(name)) = 'p' then
    call facteur_partition_views(name);
    return;
  end if;
  bytes := pg_relation_size(name::regclass);

  -- The bound of a migration that was cut off stays.
  select substring(pg_get_constraintdef(oid) from '''([^'']+)''') into edge from pg_constraint
  where conrelid = name::regclass and conname = name || '_bound';
  is_large := bytes > 67108864;
  if edge is null and is_large then
    edge := facteur_partition_edge(name, key, date_trunc('day', facteur_now() at time zone 'utc') at time zone 'utc' + interval '14 days');
    execute format('alter table %I add constraint %I check (%I < %L) not valid', name, name || '_bound', key, edge);
    commit;
  end if;
  if edge is not null then
    raise info '% (%) is read through before it is partitioned; the service goes on', name, pg_size_pretty(bytes);
    begin
      execute format('alter table %I validate constraint %I', name, name || '_bound');
    exception when check_violation then
      execute format('alter table %I drop constraint %I', name, name || '_bound');
      edge := null;
    end;
    commit;
    if edge is null and is_large then
      raise info '% stays one table, since it has rows of a time to come; its rows expire in batches', name;
      return;
    end if;
  end if;

  execute format('lock table %I in access exclusive mode', name);
  if edge is null then
    edge := facteur_partition_edge(name, key, date_trunc('day', facteur_now() at time zone 'utc') at time zone 'utc' + interval '1 day');
  end if;
  first := name || '_to_' || to_char(facteur_partition_time(edge) at time zone 'utc', 'YYYYMMDD');

  -- The statements that rebuild everything around the table, by its present name.
  create temp table partition_lines on commit drop as
    select 1 as turn, format('alter table %I add %s', name, pg_get_constraintdef(oid)) as line from pg_constraint
      where conrelid = name::regclass and contype = 'p'
    union all
    select 2, regexp_replace(pg_get_indexdef(i.indexrelid), ' INDEX .* ON ', ' INDEX ' || quote_ident(c.relname) || ' ON ')
      from pg_index i join pg_class c on c.oid = i.indexrelid where i.indrelid = name::regclass and not i.indisprimary and not i.indisunique
    union all
    select 3, pg_get_triggerdef(oid) from pg_trigger where tgrelid = name::regclass and not tgisinternal
    union all
    select 4, format('grant %s on %I to %s', a.privilege_type, name, case a.grantee when 0 then 'public' else quote_ident(r.rolname) end)
      from pg_class c, aclexplode(c.relacl) a left join pg_roles r on r.oid = a.grantee
      where c.oid = name::regclass and a.grantee <> c.relowner;

  for item in select tgname from pg_trigger where tgrelid = name::regclass and not tgisinternal loop
    execute format('drop trigger %I on %I', item.tgname, name);
  end loop;
  execute format('alter table %I rename to %I', name, first);
  -- The partitioned table gets the names of the indexes and of the keys.
  for item in select conname from pg_constraint where conrelid = first::regclass and contype = 'p' loop
    execute format('alter table %I rename constraint %I to %I', first, item.conname, replace(item.conname, name, first));
  end loop;
  for item in select c.relname, i.indisunique from pg_index i join pg_class c on c.oid = i.indexrelid
    where i.indrelid = first::regclass and not i.indisprimary
  loop
    if item.indisunique then
      execute format('drop index %I', item.relname);
    else
      execute format('alter index %I rename to %I', item.relname, first || '_' || item.relname);
    end if;
  end loop;

  if not exists (select from pg_constraint where conrelid = first::regclass and conname = name || '_bound') then
    -- Ids of a time to come, from a clock that was wrong: they begin the default partition.
    execute format('create temp table partition_strays on commit drop as select * from %I where %I >= %L', first, key, edge);
    execute format('delete from %I where %I >= %L', first, key, edge);
  end if;
  execute format('create table %I (like %I including defaults including constraints including storage including comments '
    'including compression) partition by range (%I)', parent, first, key);
  execute format('alter table %I drop constraint if exists %I', parent, name || '_bound');
  for line in select l.line from partition_lines l where turn <= 2 order by turn loop
    execute line;
  end loop;
  execute format('alter table %I attach partition %I for values from (minvalue) to (%L)', parent, first, edge);
  execute format('alter table %I drop constraint if exists %I', first, name || '_bound');
  execute format('create table %I partition of %I default', parent || '_default', parent);
  execute coalesce((select format('alter table %I set (%s)', parent || '_default', array_to_string(reloptions, ', '))
    from pg_class where oid = first::regclass and reloptions is not null), 'select');
  if to_regclass('pg_temp.partition_strays') is not null then
    execute format('insert into %I select * from partition_strays', parent || '_default');
    drop table partition_strays;
  end if;
  for line in select l.line from partition_lines l where turn > 2 order by turn loop
    execute line;
  end loop;
  drop table partition_lines;
  commit;
  call facteur_partition_views(name);
end $$;

-- Views of a table that became a partition read the partitioned table again. Until then they read the first partition, which has
-- every row. A transaction of its own: those who use a view lock it before its table, or after.
create or replace procedure facteur_partition_views(name text) language plpgsql as $$
declare item record;
begin
  for item in
    select distinct v.relname as view, p.relname as part, pg_get_viewdef(v.oid) as text
    from pg_inherits i join pg_class p on p.oid = i.inhrelid
    join pg_depend d on d.refclassid = 'pg_class'::regclass and d.refobjid = p.oid and d.classid = 'pg_rewrite'::regclass
    join pg_rewrite r on r.oid = d.objid join pg_class v on v.oid = r.ev_class and v.relkind = 'v'
    where i.inhparent = name::regclass
  loop
    execute format('create or replace view %I as %s', item.view, replace(item.text, item.part, name));
    commit;
  end loop;
end $$;

-- A bound as the column's type writes it, and its time.
create or replace function facteur_partition_edge(name text, key text, at timestamptz) returns text language sql stable as $$
  select case when atttypid = 'uuid'::regtype then facteur_events_from(at)::text else to_char(at at time zone 'utc', 'YYYY-MM-DD HH24:MI:SS"+00"') end
  from pg_attribute where attrelid = name::regclass and attname = key
$$;

create or replace function facteur_partition_time(edge text) returns timestamptz language sql stable as $$
  select case when edge ~ '^[0-9a-f]{8}-[0-9a-f]{4}-' then to_timestamp(('x' || left(replace(edge, '-', ''), 12))::bit(48)::bigint / 1000.0)
    else edge::timestamptz end
$$;
