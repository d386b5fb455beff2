/** The cells with what they hold, for operators. */
import { sql } from '../client/sql.ts'
import type { Database } from '../client/database.ts'
import type { Cell } from './cells.ts'

export interface CellSummary extends Cell {
  isReady: boolean
  workspaces: number
  /** Tables with their indexes and long values. */
  bytes: number
  /** Of a cluster, as `HOST:PORT`. Null means on the server that commands connect to. */
  node: string | null
}

/** By their numbers. The bytes of cell 1 hold those of the global tables. */
export async function cellSummaries(db: Database): Promise<CellSummary[]> {
  const rows = await db.rows<Omit<CellSummary, 'node'>>(sql`
    select c.id, c.schema, c.is_ready,
      (select count(*)::int from workspace w where w.cell = c.id) as workspaces,
      (select coalesce(sum(pg_total_relation_size(t.oid)), 0)::float8 from pg_class t
       where t.relkind = 'r' and t.relnamespace = to_regnamespace(c.schema)) as bytes
    from cell c order by c.id`)
  const isCluster = await db.onlyValue<boolean>(
    sql`select exists (select from pg_extension where extname = 'citus') as is`,
  )
  const shares = isCluster ? await nodesOfCells(db) : []
  return rows.map((row) => {
    const share = shares.find(({ schema }) => schema === row.schema)
    return { ...row, bytes: share?.bytes ?? row.bytes, node: share?.node ?? null }
  })
}

/** Here the sizes of distributed tables are not those of the server that answers. */
function nodesOfCells(db: Database): Promise<{ schema: string; node: string; bytes: number }[]> {
  return db.rows(sql`
    select c.relnamespace::regnamespace::text as schema, s.nodename || ':' || s.nodeport as node,
      sum(s.shard_size)::float8 as bytes
    from citus_shards s
    join pg_class c on c.oid = s.table_name
    join cell on cell.schema = c.relnamespace::regnamespace::text and cell.id <> 1
    group by 1, 2`)
}
