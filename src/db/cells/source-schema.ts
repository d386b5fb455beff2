/**
 * Reads from the catalog the statements that make the tables of cell 1 once more, for the schema
 * that is searched first.
 */
import type pg from 'pg'
import { globalTables } from './global-tables.ts'

export interface SourceSchema {
  /** In their order: each needs only what those before it made. */
  statements: string[]
  /** The definitions of functions that name a table of cells. */
  functions: string[]
}

/** `public` must be the whole search path: names of it are printed without a schema then. */
export async function readSourceSchema(client: pg.ClientBase): Promise<SourceSchema> {
  const read = async (text: string): Promise<string[]> =>
    (
      await client.query<{ statement: string }>(`${tablesOfCells} ${text}`, [globalTables])
    ).rows.map(({ statement }) => statement)
  const statements: string[] = []
  for (const text of [
    sequences,
    tables,
    ...columns,
    partitions,
    keys,
    indexes,
    foreignKeys,
    triggers,
    views,
    grants,
  ])
    statements.push(...(await read(text)))
  return { statements, functions: await read(functions) }
}

/** Without partitions. A table that is detached from another one is about to go. */
const tablesOfCells = `
  with t as (
    select c.* from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition and c.relname <> all ($1::text[])
      and c.relname !~ '_([0-9]{8}|to)_[0-9]{8}(_former|_copy)?$' and c.relname !~ '^copy_(target|leaf|definition|log_.*)$'
  )`

/** Those of an identity come with its column. */
const sequences = `
  select format('create sequence %I', s.relname) as statement from pg_class s
  where s.relkind = 'S' and s.relnamespace = 'public'::regnamespace
    and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = s.oid and d.deptype in ('a', 'i'))
    and $1::text[] is not null
  order by s.relname`

const withOptions = (relation: string): string =>
  `coalesce((select ' with (' || string_agg(o, ', ') || ')' from unnest(${relation}.reloptions) o), '')`

/** LIKE copies a check with its name, and neither options nor the kind of the table. */
const tables = `
  select format('create %stable %I (like public.%I including defaults including constraints including generated including identity including storage including compression including statistics)%s%s',
    case t.relpersistence when 'u' then 'unlogged ' else '' end, t.relname, t.relname,
    case t.relkind when 'p' then ' partition by ' || pg_get_partkeydef(t.oid) else '' end, ${withOptions('t')}) as statement
  from t order by t.relname`

const columns = [
  // A default that LIKE copied would take numbers from the sequence of cell 1.
  `select format('alter table %I alter column %I set default %s', t.relname, a.attname, pg_get_expr(d.adbin, d.adrelid, true)) as statement
   from t join pg_attribute a on a.attrelid = t.oid join pg_attrdef d on d.adrelid = t.oid and d.adnum = a.attnum
   where a.attgenerated = '' and exists (
     select from pg_depend p join pg_class s on s.oid = p.refobjid and s.relkind = 'S'
     where p.classid = 'pg_attrdef'::regclass and p.objid = d.oid and p.refclassid = 'pg_class'::regclass)
   order by 1`,
  `select format('alter table %I alter column %I set statistics %s', t.relname, a.attname, a.attstattarget) as statement
   from t join pg_attribute a on a.attrelid = t.oid where a.attnum > 0 and not a.attisdropped and a.attstattarget >= 0 order by 1`,
]

/** The default ones, and those of now and later: the upkeep of the cell makes the next. */
const partitions = `
  select format('create table %I partition of %I %s', p.relname, t.relname, b.bound) || ${withOptions('p')} as statement
  from t join pg_inherits i on i.inhparent = t.oid join pg_class p on p.oid = i.inhrelid
  cross join lateral (select pg_get_expr(p.relpartbound, p.oid) as bound) b
  where b.bound = 'DEFAULT' or facteur_partition_time(substring(b.bound from 'TO \\(''([^'']+)''\\)')) > facteur_now()
  order by t.relname, p.relname`

const constraintsOf = (kinds: string): string => `
  select format('alter table %I add constraint %I %s', t.relname, c.conname, pg_get_constraintdef(c.oid, true)) as statement
  from t join pg_constraint c on c.conrelid = t.oid where c.contype in (${kinds}) and c.conparentid = 0 order by t.relname, c.conname`

const keys = constraintsOf(`'p', 'u', 'x'`)
const foreignKeys = constraintsOf(`'f'`)

/**
 * An index of a partitioned table is printed with ONLY, which would make none of its partitions and
 * leave it invalid.
 */
const indexes = `
  select replace(pg_get_indexdef(i.indexrelid, 0, true), ' ON ONLY ', ' ON ') as statement
  from t join pg_index i on i.indrelid = t.oid
  where i.indisvalid and not exists (select from pg_constraint c where c.conindid = i.indexrelid and c.contype in ('p', 'u', 'x'))
  order by 1`

const triggers = `
  select pg_get_triggerdef(g.oid, true) as statement from t join pg_trigger g on g.tgrelid = t.oid
  where not g.tgisinternal and g.tgname !~ '^copy_' order by 1`

/**
 * A view reads the tables that its names meant when it was made: each cell needs its own, in the
 * order in which they were made.
 */
const views = `
  select format('create view %I%s as %s', v.relname, ${withOptions('v')}, pg_get_viewdef(v.oid, true)) as statement from pg_class v
  where v.relkind = 'v' and v.relnamespace = 'public'::regnamespace and $1::text[] is not null
    and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = v.oid and d.deptype = 'e')
  order by v.oid`

const grants = `
  select format('grant %s on %I to %s', a.privilege_type, t.relname, coalesce(quote_ident(r.rolname), 'public')) as statement
  from t cross join lateral aclexplode(t.relacl) a left join pg_roles r on r.oid = a.grantee where a.grantee <> t.relowner
  union all
  select format('do $of_schema$ begin execute format(''grant usage on schema %%I to %s'', current_schema()); end $of_schema$',
    coalesce(quote_ident(r.rolname), 'public'))
  from (select distinct a.grantee from t cross join lateral aclexplode(t.relacl) a where a.grantee <> t.relowner) g
  left join pg_roles r on r.oid = g.grantee
  order by 1`

const functions = `
  select pg_get_functiondef(f.oid) as statement from pg_proc f
  where f.pronamespace = 'public'::regnamespace and f.prokind = 'f' and f.prosqlbody is null
    and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = f.oid and d.deptype = 'e')
    and exists (select from t where f.prosrc ~* ('\\m(from|join|into|update)\\s+' || t.relname || '\\M'))
  order by f.proname`
