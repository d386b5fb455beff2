/**
 * What a process of the previous release sees of a schema: relations with their columns, keys,
 * conditions and functions, from the catalog.
 */
import { sql } from '../../src/database/client/sql.ts'
import type { Connection } from '../../src/database/client/connect.ts'

export interface SchemaShape {
  tables: Set<string>
  /** By `relation.column`, of tables and views; a partition belongs to its table. */
  columns: Map<string, { type: string; isRequired: boolean; hasDefault: boolean }>
  /**
   * By `table: definition`: the columns of each unique key, or null where it is of an expression or
   * of some rows.
   */
  uniques: Map<string, string[] | null>
  /** Definitions of checks and foreign keys, by `table: name`. */
  conditions: Map<string, string>
  /** Functions, procedures and sequences, by name and arguments. */
  routines: Set<string>
}

/** Of the schema `public`. */
export async function readShape(db: Pick<Connection, 'rows' | 'column'>): Promise<SchemaShape> {
  const tables = await db.column<string>(sql`
    select relname from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`)
  const columns = await db.rows<{
    name: string
    type: string
    isRequired: boolean
    hasDefault: boolean
  }>(sql`
    select c.relname || '.' || a.attname as name, format_type(a.atttypid, a.atttypmod) as type, a.attnotnull as "isRequired",
      a.atthasdef or a.attidentity <> '' as "hasDefault"
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v') and not c.relispartition and a.attnum > 0 and not a.attisdropped`)
  const uniques = await db.rows<{ name: string; columns: string[] | null }>(sql`
    select t.relname || ': ' || substring(pg_get_indexdef(i.indexrelid) from ' USING (.*)') as name,
      case when i.indpred is null and i.indexprs is null then
        (select array_agg(a.attname::text order by a.attname) from pg_attribute a where a.attrelid = t.oid and a.attnum = any (i.indkey::int2[])) end as columns
    from pg_index i join pg_class t on t.oid = i.indrelid
    where i.indisunique and t.relnamespace = 'public'::regnamespace and not t.relispartition`)
  const conditions = await db.rows<{ name: string; text: string }>(sql`
    select t.relname || ': ' || c.conname as name, pg_get_constraintdef(c.oid) as text
    from pg_constraint c join pg_class t on t.oid = c.conrelid
    where c.contype in ('c', 'f', 'x') and t.relnamespace = 'public'::regnamespace and not t.relispartition`)
  const routines = await db.column<string>(sql`
    select proname || '(' || pg_get_function_identity_arguments(oid) || ')' from pg_proc
    where pronamespace = 'public'::regnamespace and not exists (select from pg_depend where objid = pg_proc.oid and deptype = 'e')
    union all select relname || '()' from pg_class where relnamespace = 'public'::regnamespace and relkind = 'S'`)
  return {
    tables: new Set(tables),
    columns: new Map(columns.map(({ name, ...column }) => [name, column])),
    uniques: new Map(uniques.map(({ name, columns: list }) => [name, list])),
    conditions: new Map(conditions.map(({ name, text }) => [name, text])),
    routines: new Set(routines),
  }
}

export interface Former {
  /** Whether the previous release's sources have this word. */
  isUsed: (word: string) => boolean
  /** Whether one of its statements names this relation: `image` is many things in a source. */
  isRead: (relation: string) => boolean
  /**
   * Why the previous release does without a unique key that this version lengthened or dropped, by
   * table.
   */
  keysGone: Readonly<Record<string, string>>
  /** Why a new condition may refuse the previous release something, by `table: condition`. */
  refused?: Readonly<Record<string, string>>
}

/** Whether a statement in these texts reads or writes the relation. */
export const namesRelation =
  (texts: string) =>
  (relation: string): boolean =>
    new RegExp(
      `\\b(?:from|join|into|update|table|truncate|using)\\s+(?:only\\s+)?(?:\\w+(?: \\w+)?,\\s*)*(?:\\$\\{home\\})?${relation}\\b`,
      'i',
    ).test(texts)

/** What the statements of the previous release no longer find, or may no longer write, in words. */
export function findBreaks(before: SchemaShape, after: SchemaShape, former: Former): string[] {
  return [
    ...goneColumns(before, after, former),
    ...stricterColumns(before, after),
    ...stricterConditions(before, after, former),
    ...changedKeys(before, after, former),
    ...[...before.routines]
      .filter(
        (routine) => !after.routines.has(routine) && former.isUsed(routine.split('(')[0] ?? ''),
      )
      .map((routine) => `${routine} is gone, which the previous release uses`),
  ]
}

const tableOf = (name: string): string => name.split(/[.:]/)[0] ?? ''
const relationsOf = ({ columns }: SchemaShape): Set<string> =>
  new Set([...columns.keys()].map(tableOf))

/** A renamed table or column leaves a view with its former name. */
function goneColumns(
  before: SchemaShape,
  after: SchemaShape,
  { isUsed, isRead }: Former,
): string[] {
  const relations = relationsOf(after)
  return [...before.columns].flatMap(([name, { type }]) => {
    const [table = '', column = ''] = name.split('.')
    const present = after.columns.get(name)
    if (present) return present.type === type ? [] : [`${name} was ${type} and is ${present.type}`]
    return (relations.has(table) ? isUsed(column) : isRead(table))
      ? [`${name} is gone, which the previous release uses`]
      : []
  })
}

/** A row that the previous release writes is a valid row: it leaves new columns out. */
function stricterColumns(before: SchemaShape, after: SchemaShape): string[] {
  return [...after.columns].flatMap(([name, { isRequired, hasDefault }]) => {
    const was = before.columns.get(name)
    if (!was)
      return before.tables.has(tableOf(name)) && isRequired && !hasDefault
        ? [`${name} is new, not null and has no default`]
        : []
    return [
      ...(isRequired && !was.isRequired ? [`${name} may no longer be null`] : []),
      ...(was.hasDefault && !hasDefault && isRequired ? [`${name} has lost its default`] : []),
    ]
  })
}

/** A condition may be replaced by one of its name that allows each of its former words. */
function stricterConditions(
  before: SchemaShape,
  after: SchemaShape,
  { refused = {} }: Former,
): string[] {
  return [...after.conditions].flatMap(([name, text]) => {
    const was = before.conditions.get(name)
    if (was === undefined)
      return before.tables.has(tableOf(name)) && !(name in refused)
        ? [`${name} is new, and rows of the previous release may break it`]
        : []
    const words = was.match(/'[^']*'/g) ?? []
    const gone = words.filter((word) => !text.includes(word))
    if (gone.length > 0) return [`${name} no longer allows ${gone.join(', ')}`]
    return words.length === 0 && was !== text ? [`${name} is another condition`] : []
  })
}

/**
 * A longer key allows what a shorter one does. A key that is gone refuses nothing, so that somebody
 * says why none of it is doubled.
 */
function changedKeys(before: SchemaShape, after: SchemaShape, { keysGone }: Former): string[] {
  const stored = [...before.uniques].map(([name, columns]) => ({ table: tableOf(name), columns }))
  const stricter = [...after.uniques].filter(([name, columns]) => {
    if (before.uniques.has(name) || !before.tables.has(tableOf(name))) return false
    const isLonger = (key: string[] | null): boolean =>
      key?.every((column) => columns?.includes(column)) ?? false
    return !stored.some((key) => key.table === tableOf(name) && isLonger(key.columns))
  })
  // A table with another name has its keys there.
  const gone = [...before.uniques.keys()].filter(
    (name) => !after.uniques.has(name) && after.tables.has(tableOf(name)),
  )
  const explained = new Set(gone.map(tableOf))
  return [
    ...stricter.map(
      ([name]) => `${name} is a new unique key, and rows of the previous release may break it`,
    ),
    ...gone
      .filter((name) => !(tableOf(name) in keysGone))
      .map((name) => `${name} is no longer a unique key, and nothing says why`),
    ...Object.keys(keysGone)
      .filter((table) => !explained.has(table))
      .map((table) => `${table} has its keys, and needs no reason`),
  ]
}
