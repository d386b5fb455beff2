/**
 * What the catalog says of the tables of a cell, line by line, so that two cells can be compared.
 */
import { globalTables } from '../../../src/database/schema/global-tables.ts'
import type pg from 'pg'

/**
 * Each line is `kind of thing: where: what`. Names are printed without their schema where the
 * search path of the cell finds them: a foreign key, a default or a view that reads a table of
 * another cell is printed with it.
 */
export async function cellCatalog(client: pg.ClientBase, schema: string): Promise<string[]> {
  await client.query(`set search_path = ${schema === 'public' ? schema : `${schema}, public`}`)
  try {
    const { rows } = await client.query<{ line: string }>(
      `${relations} ${kinds.join(' union all ')} order by 1`,
      [globalTables],
    )
    return rows.map(({ line }) => line)
  } finally {
    await client.query('reset search_path').catch(() => undefined)
  }
}

/** What only one of the two has. */
export function differences(a: string[], b: string[]): string[] {
  const [first, second] = [new Set(a), new Set(b)]
  return [
    ...a.filter((line) => !second.has(line)).map((line) => `- ${line}`),
    ...b.filter((line) => !first.has(line)).map((line) => `+ ${line}`),
  ].toSorted()
}

/**
 * Partitions that are over are of cell 1 alone. Sequences and views of global tables are where
 * those are.
 */
const relations = `
  with recursive t as (
    select c.* from pg_class c
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and c.relname <> all ($1::text[])
      and (not c.relispartition or pg_get_expr(c.relpartbound, c.oid) = 'DEFAULT'
        or facteur_partition_time(substring(pg_get_expr(c.relpartbound, c.oid) from 'TO \\(''([^'']+)''\\)')) > facteur_now())
  ), reads as (
    select r.ev_class as view, d.refobjid as relation from pg_rewrite r join pg_depend d on d.objid = r.oid and d.classid = 'pg_rewrite'::regclass
    where d.refclassid = 'pg_class'::regclass and d.refobjid <> r.ev_class
  ), of_cell as (
    select oid from t union select r.view from reads r join of_cell o on o.oid = r.relation
  ), v as (
    select c.* from pg_class c where c.relkind = 'v' and c.relnamespace = current_schema()::regnamespace and c.oid in (table of_cell)
  ), s as (
    select c.* from pg_class c where c.relkind = 'S' and c.relnamespace = current_schema()::regnamespace and not exists (
      select from pg_depend d join pg_class g on g.oid = d.refobjid
      where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype in ('a', 'i') and g.relname = any ($1::text[]))
  ), r as (
    table t union all table v union all table s
  )`

/** PostgreSQL names the keys and indexes of a partition itself. */
const nameOf = (name: string): string => `case when t.relispartition then '' else ${name} end`

const kinds = [
  `select format('relation: %s: kind %s, persistence %s, identity %s, rows %s %s, options %s, of long values %s, rights %s', r.relname, r.relkind,
     r.relpersistence, r.relreplident, r.relrowsecurity, r.relforcerowsecurity, (select array_agg(o order by o) from unnest(r.reloptions) o),
     (select reloptions from pg_class l where l.oid = r.reltoastrelid),
     (select array_agg(a::text order by a::text) from unnest(r.relacl) a where a::text not like pg_get_userbyid(r.relowner) || '=%')) as line from r`,
  `select format('partition: %s: %s of %s, by %s', t.relname, pg_get_expr(t.relpartbound, t.oid), i.inhparent::regclass, pg_get_partkeydef(t.oid))
   from t left join pg_inherits i on i.inhrelid = t.oid where t.relispartition or t.relkind = 'p'`,
  `select format('column: %s: %s. %s %s, not null %s, default %s, identity %s, generated %s, storage %s, compression %s, collation %s, statistics %s, options %s',
     r.relname, row_number() over (partition by r.oid order by a.attnum), a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,
     pg_get_expr(d.adbin, d.adrelid), a.attidentity, a.attgenerated, a.attstorage, a.attcompression, a.attcollation::regcollation,
     coalesce(a.attstattarget, -1), a.attoptions)
   from r join pg_attribute a on a.attrelid = r.oid left join pg_attrdef d on d.adrelid = r.oid and d.adnum = a.attnum
   where a.attnum > 0 and not a.attisdropped and r.relkind <> 'S'`,
  // What was not looked through in cell 1 was looked through in a table without rows.
  `select format('constraint: %s: %s %s %s, refers to %s', t.relname, ${nameOf('c.conname')}, c.contype,
     replace(pg_get_constraintdef(c.oid), ' NOT VALID', ''), nullif(c.confrelid, 0)::regclass)
   from t join pg_constraint c on c.conrelid = t.oid where c.contype <> 't'`,
  `select format('index: %s: %s valid %s, identity %s, order %s, statistics %s', t.relname,
     case when t.relispartition then regexp_replace(pg_get_indexdef(i.indexrelid, 0, true), ' INDEX \\S+ ON', ' INDEX ON') else pg_get_indexdef(i.indexrelid, 0, true) end,
     i.indisvalid and i.indisready, i.indisreplident, i.indisclustered,
     (select array_agg(coalesce(a.attstattarget, -1) order by a.attnum) from pg_attribute a where a.attrelid = i.indexrelid))
   from t join pg_index i on i.indrelid = t.oid`,
  `select format('trigger: %s: %s runs %s, enabled %s', t.relname, pg_get_triggerdef(g.oid, true), g.tgfoid::regprocedure, g.tgenabled)
   from t join pg_trigger g on g.tgrelid = t.oid where not g.tgisinternal`,
  `select format('view: %s: %s', v.relname, pg_get_viewdef(v.oid)) from v`,
  `select format('sequence: %s: %s from %s by %s, %s to %s, cache %s, cycles %s, of %s', s.relname, q.seqtypid::regtype, q.seqstart, q.seqincrement,
     q.seqmin, q.seqmax, q.seqcache, q.seqcycle, (select d.refobjid::regclass from pg_depend d
       where d.classid = 'pg_class'::regclass and d.objid = s.oid and d.deptype in ('a', 'i')))
   from s join pg_sequence q on q.seqrelid = s.oid`,
  `select format('statistics: %s: %s of %s', t.relname, e.stxkind, (select array_agg(a.attname order by a.attname) from pg_attribute a
     where a.attrelid = t.oid and a.attnum = any (e.stxkeys::int2[])))
   from t join pg_statistic_ext e on e.stxrelid = t.oid`,
  `select format('rule: %s: %s', r.relname, pg_get_ruledef(u.oid)) from r join pg_rewrite u on u.ev_class = r.oid where u.rulename <> '_RETURN'`,
  `select format('policy: %s: %s', t.relname, p.polname) from t join pg_policy p on p.polrelid = t.oid`,
]
