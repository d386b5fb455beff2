/**
 * Reads from the catalog what the migrations made: as statements that make the tables of cell 1
 * once more, for the schema that is searched first, and as the parts of `schema.sql`.
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
  const read = readParts(client, globalTables)
  const texts = [
    ...[sequences, tables, sequenceDefaults, statistics, partitionsWhere(isOfNow)],
    ...[constraintsOf(`'p', 'u', 'x'`), indexes, constraintsOf(`'f'`), triggers, views, grants],
  ]
  const statementsOf = (parts: Part[]): string[] => parts.map(({ statement }) => statement)
  return {
    statements: statementsOf(await read(texts)),
    functions: statementsOf(await read([functionsWhere(readsCell)])),
  }
}

/** The content of `schema.sql`. */
export interface SchemaParts {
  /** With `…` between the parentheses. */
  tables: Part[]
  columns: SourceColumn[]
  constraints: SourceConstraint[]
  /** Indexes, triggers, default partitions: with the table of each. */
  ofTables: Part[]
  sequences: Part[]
  functions: Part[]
  views: Part[]
}

interface Part {
  /** The table that it belongs to; of a sequence, a function or a view its own name. */
  relation: string
  statement: string
}

interface SourceColumn {
  relation: string
  name: string
  type: string
  isRequired: boolean
  /** Such as `default 0`. Null if there is none. */
  value: string | null
}

export interface SourceConstraint extends Part {
  name: string
  columns: string[]
  definition: string
}

/** Of all tables, global ones too; the search path as above. */
export async function readSchemaParts(client: pg.ClientBase): Promise<SchemaParts> {
  const read = readParts(client, [])
  return {
    tables: await read([heads]),
    columns: await read<SourceColumn>([columns]),
    constraints: await read<SourceConstraint>([constraintsOf(`'p', 'u', 'x', 'f', 'c'`)]),
    ofTables: await read([
      ...[storage, statistics, partitionsWhere(`b.bound = 'DEFAULT'`), indexes, triggers],
    ]),
    sequences: await read([sequences]),
    functions: await read([functionsWhere('true')]),
    views: await read([views]),
  }
}

/** `without`: tables that are left out, with all that belongs to them. */
const readParts =
  (client: pg.ClientBase, without: readonly string[]) =>
  async <Row extends object = Part>(texts: string[]): Promise<Row[]> => {
    const rows: Row[] = []
    for (const text of texts)
      rows.push(...(await client.query<Row>(`${tablesToRead} ${text}`, [without])).rows)
    return rows
  }

/** Without partitions. A table that is detached from another one is about to go. */
const tablesToRead = `
  with t as (
    select c.* from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and c.relname <> all ($1::text[])
      and c.relname !~ '_([0-9]{8}|to)_[0-9]{8}(_former|_copy)?$'
      and c.relname !~ '^copy_(target|leaf|definition|log_.*)$'
  )`

/** Those of an identity come with its column. */
const sequences = `
  select s.relname as relation, format('create sequence %I', s.relname) as statement from pg_class s
  where s.relkind = 'S' and s.relnamespace = 'public'::regnamespace
    and not exists (
      select from pg_depend d
      where d.classid = 'pg_class'::regclass and d.objid = s.oid and d.deptype in ('a', 'i'))
  order by s.relname`

const withOptions = (relation: string): string =>
  `coalesce((select ' with (' || string_agg(o, ', ') || ')' from unnest(${relation}.reloptions) o), '')`

/** `content`: an expression that gives what stands between the parentheses. */
const tableWith = (content: string): string =>
  `format('create %stable %I (%s)%s%s',
    case t.relpersistence when 'u' then 'unlogged ' else '' end, t.relname, ${content},
    case t.relkind when 'p' then ' partition by ' || pg_get_partkeydef(t.oid) else '' end,
    ${withOptions('t')})`

const heads = `
  select t.relname as relation, ${tableWith(`'…'`)} as statement from t order by t.relname`

/** LIKE copies a check with its name, and neither options nor the kind of the table. */
const like = `concat_ws(' ', format('like public.%I', t.relname),
  'including defaults including constraints including generated including identity',
  'including storage including compression including statistics')`
const tables = `
  select t.relname as relation, ${tableWith(like)} as statement from t order by t.relname`

const columns = `
  select t.relname as relation, quote_ident(a.attname) as name,
    format_type(a.atttypid, a.atttypmod)
      || case
        when a.attcollation <> y.typcollation then ' collate ' || a.attcollation::regcollation
        else '' end as type,
    a.attnotnull as "isRequired",
    case when a.attidentity = 'd' then 'generated by default as identity'
      when a.attidentity = 'a' then 'generated always as identity'
      when a.attgenerated <> '' then 'generated always as (' || v.expression || ') stored'
      else 'default ' || v.expression end as value
  from t join pg_attribute a on a.attrelid = t.oid join pg_type y on y.oid = a.atttypid
  left join pg_attrdef d on d.adrelid = t.oid and d.adnum = a.attnum
  cross join lateral (select pg_get_expr(d.adbin, d.adrelid, true) as expression) v
  where a.attnum > 0 and not a.attisdropped order by t.relname, a.attnum`

/** A default that LIKE copied would take numbers from the sequence of cell 1. */
const sequenceDefaults = `
  select t.relname as relation,
    format('alter table %I alter column %I set default %s', t.relname, a.attname,
      pg_get_expr(d.adbin, d.adrelid, true)) as statement
  from t
  join pg_attribute a on a.attrelid = t.oid
  join pg_attrdef d on d.adrelid = t.oid and d.adnum = a.attnum
  where a.attgenerated = '' and exists (
    select from pg_depend p join pg_class s on s.oid = p.refobjid and s.relkind = 'S'
    where p.classid = 'pg_attrdef'::regclass and p.objid = d.oid and p.refclassid = 'pg_class'::regclass)
  order by statement`

const statistics = `
  select t.relname as relation,
    format('alter table %I alter column %I set statistics %s', t.relname, a.attname, a.attstattarget)
      as statement
  from t
  join pg_attribute a on a.attrelid = t.oid
  where a.attnum > 0 and not a.attisdropped and a.attstattarget >= 0
  order by statement`

const storage = `
  select t.relname as relation, format('alter table %I alter column %I set storage %s', t.relname, a.attname,
    case a.attstorage
      when 'p' then 'plain'
      when 'e' then 'external'
      when 'm' then 'main'
      else 'extended' end) as statement
  from t join pg_attribute a on a.attrelid = t.oid join pg_type y on y.oid = a.atttypid
  where a.attnum > 0 and not a.attisdropped and a.attstorage <> y.typstorage order by statement`

const partitionsWhere = (condition: string): string => `
  select t.relname as relation,
    format('create table %I partition of %I %s', p.relname, t.relname, b.bound) || ${withOptions('p')}
      as statement
  from t join pg_inherits i on i.inhparent = t.oid join pg_class p on p.oid = i.inhrelid
  cross join lateral (select pg_get_expr(p.relpartbound, p.oid) as bound) b
  where ${condition}
  order by t.relname, p.relname`

/** The default ones, and those of now and later: the upkeep of the cell makes the next. */
const isOfNow = `b.bound = 'DEFAULT'
  or facteur_partition_time(substring(b.bound from 'TO \\(''([^'']+)''\\)')) > facteur_now()`

const constraintsOf = (kinds: string): string => `
  select t.relname as relation, c.conname as name, d.definition,
    array(select quote_ident(a.attname)
      from unnest(c.conkey) with ordinality k (number, place)
      join pg_attribute a on a.attrelid = t.oid and a.attnum = k.number
      order by k.place) as columns,
    format('alter table %I add constraint %I %s', t.relname, c.conname, d.definition) as statement
  from t
  join pg_constraint c on c.conrelid = t.oid
  cross join lateral (select pg_get_constraintdef(c.oid, true) as definition) d
  where c.contype in (${kinds}) and c.conparentid = 0
  order by t.relname, position(c.contype::text in 'puxfc'), c.conname`

/**
 * An index of a partitioned table is printed with ONLY, which would make none of its partitions and
 * leave it invalid.
 */
const indexes = `
  select t.relname as relation,
    replace(pg_get_indexdef(i.indexrelid, 0, true), ' ON ONLY ', ' ON ') as statement
  from t join pg_index i on i.indrelid = t.oid
  where i.indisvalid
    and not exists (
      select from pg_constraint c
      where c.conindid = i.indexrelid and c.contype in ('p', 'u', 'x'))
  order by statement`

const triggers = `
  select t.relname as relation, pg_get_triggerdef(g.oid, true) as statement
  from t
  join pg_trigger g on g.tgrelid = t.oid
  where not g.tgisinternal and g.tgname !~ '^copy_' order by statement`

/**
 * A view reads the tables that its names meant when it was made: each cell needs its own, in the
 * order in which they were made.
 */
const views = `
  select v.relname as relation,
    format('create view %I%s as %s', v.relname, ${withOptions('v')}, pg_get_viewdef(v.oid, true)) as statement
  from pg_class v
  where v.relkind = 'v' and v.relnamespace = 'public'::regnamespace
    and not exists (
      select from pg_depend d
      where d.classid = 'pg_class'::regclass and d.objid = v.oid and d.deptype = 'e')
  order by v.oid`

const grants = `
  select t.relname as relation,
    format('grant %s on %I to %s', a.privilege_type, t.relname,
      coalesce(quote_ident(r.rolname), 'public')) as statement
  from t
  cross join lateral aclexplode(t.relacl) a
  left join pg_roles r on r.oid = a.grantee
  where a.grantee <> t.relowner
  union all
  select '',
    format('do $of_schema$ begin '
      'execute format(''grant usage on schema %%I to %s'', current_schema()); end $of_schema$',
    coalesce(quote_ident(r.rolname), 'public'))
  from (
    select distinct a.grantee from t
    cross join lateral aclexplode(t.relacl) a
    where a.grantee <> t.relowner) g
  left join pg_roles r on r.oid = g.grantee
  order by statement`

const functionsWhere = (condition: string): string => `
  select f.proname as relation, pg_get_functiondef(f.oid) as statement from pg_proc f
  where f.pronamespace = 'public'::regnamespace and f.prokind in ('f', 'p')
    and not exists (
      select from pg_depend d
      where d.classid = 'pg_proc'::regclass and d.objid = f.oid and d.deptype = 'e')
    and ${condition}
  order by f.proname`

const readsCell = `f.prokind = 'f' and f.prosqlbody is null
    and exists (select from t where f.prosrc ~* ('\\m(from|join|into|update)\\s+' || t.relname || '\\M'))`
