/**
 * The tables of a copy, with what a copy has to know of each: its leaves, which hold the rows, and
 * its primary key.
 */
import type pg from 'pg'
import { quoted, tableShapes, type TableShape } from './table-shapes.ts'

export interface CopiedTable extends TableShape {
  /** In the order of the primary key, which every table has. */
  key: { name: string; type: string }[]
  /** The partitions that hold its rows, or itself. */
  leaves: Leaf[]
}

export interface Leaf {
  name: string
  /** Bytes on the disk without indexes. */
  bytes: number
}

/** In an order in which foreign keys hold. */
export async function copiedTables(client: pg.ClientBase): Promise<CopiedTable[]> {
  const shapes = await tableShapes(client)
  const { rows } = await client.query<{
    name: string
    key: CopiedTable['key'] | null
    leaves: Leaf[]
  }>(
    `select c.relname::text as name,
       (select jsonb_agg(
          jsonb_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod))
          order by k.position)
        from pg_index i cross join unnest(i.indkey::int2[]) with ordinality k (number, position)
        join pg_attribute a on a.attrelid = c.oid and a.attnum = k.number
        where i.indrelid = c.oid and i.indisprimary) as key,
       (select jsonb_agg(
          jsonb_build_object('name', l.relname, 'bytes', pg_table_size(l.oid)) order by l.relname)
        from pg_partition_tree(c.oid) p join pg_class l on l.oid = p.relid where p.isleaf) as leaves
     from pg_class c
     where c.relnamespace = current_schema()::regnamespace and c.relname = any ($1)`,
    [shapes.map(({ name }) => name)],
  )
  return shapes.map((shape) => {
    const match = rows.find(({ name }) => name === shape.name)
    if (!match?.key) throw new Error(`The table ${shape.name} has no primary key`)
    // pg_partition_tree names nothing for a table that is not partitioned, in PostgreSQL before 18.
    return {
      ...shape,
      key: match.key,
      leaves: match.leaves ?? [{ name: shape.name, bytes: shape.bytes }],
    }
  })
}

export const columnsOf = (columns: readonly string[], alias?: string): string =>
  columns
    .map((column) => (alias === undefined ? quoted(column) : `${alias}.${quoted(column)}`))
    .join(', ')
