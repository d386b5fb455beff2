/**
 * What a cell needs to take a workspace in: its name first, partitions, sequences, and its gate
 * open.
 */
import type pg from 'pg'
import { readSequences } from '../read-snapshot.ts'
import { partitionShapes, quoted } from '../table-shapes.ts'
import { sqlState } from '../../client/database-errors.ts'
import { searchPathOf } from '../../client/search-path.ts'
import { withShortLocks } from '../../schema/short-locks.ts'
import { inTransactionOf } from '../copy-client.ts'
import { dueTable } from '../../schema/late-tables.ts'

/**
 * What is set within a transaction reaches the nodes of a cluster. Without one those settings are
 * words that nobody reads.
 */
export async function enterSchema(client: pg.Client, schema: string): Promise<void> {
  await client.query(`
    set search_path = ${searchPathOf(schema)};
    set enable_seqscan = off; set enable_hashjoin = off; set enable_mergejoin = off;
    set citus.propagate_set_commands = 'local'; set citus.enable_unsafe_triggers = 'on'`)
}

/**
 * Overlaps others; is there already; or its rows lie in the default partition there, which takes
 * these too.
 */
const notNeeded = new Set(['42P17', '42P07', '23514'])

/**
 * The rows of a time lie in a partition of their own there too, and expire with it. One that
 * overlaps others is not needed.
 */
export async function addPartitions(
  { from, to }: { from: pg.Client; to: pg.Client },
  requested: { progress(text: string): void; signal: AbortSignal },
): Promise<void> {
  const known = new Set((await partitionShapes(to)).map(({ name }) => name))
  for (const { table, name, bound } of await partitionShapes(from))
    if (!known.has(name))
      await withShortLocks(to, { what: `The partition ${name}`, ...requested }, () =>
        inTransactionOf(to, 'begin', async () => {
          await to.query(`create table ${quoted(name)} partition of ${quoted(table)} ${bound}`)
        }),
      ).catch((error: unknown) => {
        if (!notNeeded.has(sqlState(error) ?? '')) throw error
      })
}

/** Numbers that are taken meanwhile by others of the new cell stay far below. */
const sequenceGap = 10_000

/** New rows in the new cell have higher numbers than those of the old one: cursors go on. */
export async function raiseSequences(from: pg.Client, to: pg.Client): Promise<void> {
  const known = new Map((await readSequences(to)).map((state) => [state.name, state.value]))
  for (const { name, value } of await readSequences(from)) {
    const there = known.get(name)
    if (there !== undefined && there <= value)
      await to.query('select setval($1::regclass, $2)', [quoted(name), value + sequenceGap])
  }
}

/**
 * In the transaction of the switch, from the new cell: no change passes in the old one, and nobody
 * opens its gate before the commit.
 */
export async function oldCellRefuses(
  to: pg.Client,
  { workspaceId, fromSchema }: { workspaceId: number; fromSchema: string },
): Promise<boolean> {
  const { rows } = await to.query<{ part: string }>(
    `select part from ${fromSchema}.move_gate where workspace_id = $1 for share`,
    [workspaceId],
  )
  return rows.length === 1 && rows[0]?.part === 'closing'
}

/**
 * In the transaction of the switch, from the new cell: the old one shows no work of it, and changes
 * pass here.
 */
export async function leaveCell(
  to: pg.Client,
  { workspaceId, fromSchema }: { workspaceId: number; fromSchema: string },
): Promise<void> {
  await to.query(`delete from ${fromSchema}.${dueTable} where workspace_id = $1`, [workspaceId])
  await to.query(
    `with gate as materialized (select 1 from move_gate where workspace_id = $1 limit 1)
     insert into move_gate (workspace_id, part) select $1::bigint, 'open' from gate on conflict do nothing`,
    [workspaceId],
  )
  await to.query(`delete from move_gate where workspace_id = $1 and part = 'closing'`, [
    workspaceId,
  ])
}
