/**
 * A database with Citus: which node has a cell, and the extension's own ways to hand it over and to
 * move it.
 */
import type pg from 'pg'
import { OperatorError } from '../../ground/operator-error.ts'
import { watchFrom } from '../schema/watch-migration.ts'

export interface Node {
  host: string
  port: number
}

export async function isCluster(client: pg.ClientBase): Promise<boolean> {
  const { rowCount } = await client.query("select from pg_extension where extname = 'citus'")
  return rowCount !== 0
}

/** Throws `OperatorError` where there is no such node. */
export async function findNode(client: pg.ClientBase, { host, port }: Node): Promise<Node> {
  if (!(await isCluster(client)))
    throw new OperatorError(
      'This database has no nodes: only one with the extension Citus has. Nothing was changed.',
    )
  const { rows } = await client.query<Node>(
    `select nodename as host, nodeport as port from pg_dist_node
     where noderole = 'primary' and isactive and shouldhaveshards order by nodeid`,
  )
  const match = rows.find((node) => node.host === host && node.port === port)
  if (match) return match
  const all = rows.map((node) => `${node.host}:${node.port}`).join(', ')
  throw new OperatorError(
    `The cluster has no node ${host}:${port} that takes tables; it has ${all || 'none'}. Nothing was changed.`,
  )
}

export async function isDistributed(client: pg.ClientBase, schema: string): Promise<boolean> {
  const { rowCount } = await client.query(
    'select from citus_schemas where schema_name = to_regnamespace($1)',
    [schema],
  )
  return rowCount !== 0
}

export async function distributeSchema(client: pg.ClientBase, schema: string): Promise<void> {
  // Our triggers change tables of their own cell alone, which are on the same node.
  await client.query('set citus.enable_unsafe_triggers = on')
  await client.query('begin')
  try {
    await client.query('select citus_schema_distribute($1)', [schema])
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    throw error
  }
}

/** Nothing happens where it is there already. Writers wait for a moment at the end. */
export async function moveSchema(client: pg.ClientBase, schema: string, node: Node): Promise<void> {
  const now = await nodeOf(client, schema)
  if (now?.host === node.host && now.port === node.port) return
  await identifyRows(client, schema)
  await client.query('select citus_schema_move($1::regnamespace, $2::text, $3::integer)', [
    schema,
    node.host,
    node.port,
  ])
}

/** Reports how far a move is, until what it answers is called. */
export const watchMove = (
  { connectionString, schema }: { connectionString: string; schema: string },
  progress: (text: string) => void,
): (() => void) => watchFrom(connectionString, (client) => progressOf(client, schema), progress)

async function progressOf(client: pg.ClientBase, schema: string): Promise<string | null> {
  const { rows } = await client.query<{ copied: number; all: number; status: string | null }>(
    `
      select sum(least(target_shard_size, source_shard_size))::float8 as copied,
        sum(source_shard_size)::float8 as all, max(p.status) as status
      from get_rebalance_progress() p
      join pg_class c on c.oid = p.table_name
      where c.relnamespace = to_regnamespace($1)
      having count(*) > 0`,
    [schema],
  )
  const [result] = rows
  if (!result) return null
  const share = result.all > 0 ? Math.floor((100 * result.copied) / result.all) : 0
  return `${share} % of the bytes are on the other node${result.status === null ? '' : ` (${result.status.toLowerCase()})`}`
}

/** Null if it is not handed to a node. */
export async function nodeOf(client: pg.ClientBase, schema: string): Promise<Node | null> {
  const { rows } = await client.query<Node>(
    `select s.nodename as host, s.nodeport as port from citus_shards s join pg_class c on c.oid = s.table_name
     where c.relnamespace = to_regnamespace($1) limit 1`,
    [schema],
  )
  return rows[0] ?? null
}

/** Changes of rows without a primary key are replicated by the whole row. */
async function identifyRows(client: pg.ClientBase, schema: string): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class c
     where c.relnamespace = to_regnamespace($1) and c.relkind in ('r', 'p') and c.relreplident = 'd'
       and not exists (select from pg_index i where i.indrelid = c.oid and i.indisprimary) order by 1`,
    [schema],
  )
  for (const { name } of rows) await client.query(`alter table ${name} replica identity full`)
}
