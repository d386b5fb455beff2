/**
 * The tables that a copy of a database holds, from its catalog: a new table is in the next backup
 * without further work.
 */
import type pg from 'pg'
import { uncopiedTables } from '../schema/uncopied-tables.ts'

export interface TableShape {
  name: string
  /** All but generated ones, which the database computes again. */
  columns: string[]
  /** Bytes on the disk without indexes, those of partitions too. */
  bytes: number
}

/** Tables that a copy makes for its own time, at either end. */
const ofCopies = /^copy_(?:target|leaf|definition|log_.*)$/

/** In an order in which foreign keys hold: a table comes after those that it refers to. */
export async function tableShapes(client: pg.ClientBase): Promise<TableShape[]> {
  const { rows } = await client.query<TableShape & { refers: string[] }>(`
    select c.relname as name,
      array(select a.attname::text from pg_attribute a
            where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
            order by a.attnum) as columns,
      (pg_table_size(c.oid) + coalesce(
        (select sum(pg_table_size(p.relid)) from pg_partition_tree(c.oid) p where p.isleaf),
        0))::float8 as bytes,
      array(select distinct r.relname::text from pg_constraint k join pg_class r on r.oid = k.confrelid
            where k.conrelid = c.oid and k.contype = 'f' and k.confrelid <> c.oid) as refers
    from pg_class c
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    order by c.relname`)
  const copied = rows.filter(
    ({ name }) => uncopiedTables[name] === undefined && !ofCopies.test(name),
  )
  return inOrderOfReferences(withoutDetached(copied))
}

/**
 * A detached partition, by its name beside that of its table (`partitionName`). `_former`: another
 * one has taken its place.
 */
const detached = /^(.+)_(?:[0-9]{8}|to)_[0-9]{8}(?:_former)?$/

/**
 * Without partitions that were detached and not dropped yet: their rows have expired, and no
 * migration makes their tables. Backups of earlier versions may name them.
 */
export function withoutDetached<T extends { name: string }>(tables: readonly T[]): T[] {
  const names = new Set(tables.map(({ name }) => name))
  return tables.filter(({ name }) => !names.has(detached.exec(name)?.[1] ?? ''))
}

function inOrderOfReferences(tables: (TableShape & { refers: string[] })[]): TableShape[] {
  const ordered: TableShape[] = []
  const placed = new Set<string>()
  let left = tables
  while (left.length > 0) {
    const ready = left.filter(({ refers }) => refers.every((name) => placed.has(name)))
    if (ready.length === 0)
      throw new Error(
        `Tables refer to each other in a circle: ${left.map(({ name }) => name).join(', ')}`,
      )
    for (const { name, columns, bytes } of ready) {
      ordered.push({ name, columns, bytes })
      placed.add(name)
    }
    left = left.filter(({ name }) => !placed.has(name))
  }
  return ordered
}

export interface PartitionShape {
  table: string
  name: string
  /** `FOR VALUES FROM (…) TO (…)`. */
  bound: string
}

/**
 * All but the default ones, which migrations make. A restored table has the same, so that its rows
 * expire as before.
 */
export async function partitionShapes(client: pg.ClientBase): Promise<PartitionShape[]> {
  const { rows } = await client.query<PartitionShape>(`
    select p.relname::text as table, c.relname::text as name, pg_get_expr(c.relpartbound, c.oid) as bound
    from pg_inherits i
    join pg_class p on p.oid = i.inhparent and p.relkind = 'p'
    join pg_class c on c.oid = i.inhrelid
    where p.relnamespace = current_schema()::regnamespace and pg_get_expr(c.relpartbound, c.oid) <> 'DEFAULT'
    order by 1, 2`)
  return rows
}

/** A name of the catalog as a part of a statement. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`
