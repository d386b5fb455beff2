/**
 * What this version writes into columns that the previous release does not know: its processes must
 * leave it as it is.
 */
import { runOn } from '../support/database.ts'

/** All columns of tables, as `table.column`. */
export async function columnsOf(url: string): Promise<Set<string>> {
  const { rows } = await runOn(
    url,
    `select c.relname || '.' || a.attname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and a.attnum > 0 and not a.attisdropped`,
  )
  return new Set(rows.map(({ name }: { name: string }) => name))
}

/** How many values each new column of a former table holds. */
export async function newValues(url: string, former: Set<string>): Promise<Map<string, number>> {
  const tables = new Set([...former].map((name) => name.split('.')[0]))
  const counts = new Map<string, number>()
  for (const name of await columnsOf(url)) {
    const [table = '', column = ''] = name.split('.')
    if (former.has(name) || !tables.has(table)) continue
    const { rows } = await runOn(url, `select count(${column})::int as count from ${table}`)
    counts.set(name, Number(rows[0]?.count))
  }
  return counts
}
