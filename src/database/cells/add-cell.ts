/**
 * Adds a cell to the installation (docs/decisions/0060-cells.md).
 *
 * 1. Ask that every process knows cells: those of the previous release stop working on this
 *    database.
 * 2. On a cluster, copy the global tables to its nodes.
 * 3. Make the schema and note it, in one transaction: a cell that is noted has all its tables.
 * 4. On a cluster, hand the schema to a node.
 * 5. Give the planner its statistics.
 * 6. Say that it is ready. Every process opens it within the time that follows; then workspaces
 *    come to it.
 *
 * A run that was cut off goes on when it is repeated.
 */
import { setTimeout } from 'node:timers/promises'
import type pg from 'pg'
import { OperatorError } from '../../ground/operator-error.ts'
import { databaseOn } from '../client/camel-case-rows.ts'
import { inSchema } from '../schema/migrated-cells.ts'
import { plannerSamples } from '../schema/planner-samples.ts'
import { completePlannerStatistics } from '../planner/planner-statistics.ts'
import { whileSchemaIsLocked, type SchemaWork } from '../schema/schema-lock.ts'
import { shareGlobalTables } from '../schema/shared-tables.ts'
import { announceCells } from './cell-changes.ts'
import { knownMs, type Cell } from './cells.ts'
import { checkNodes } from './check-nodes.ts'
import {
  distributeSchema,
  findNode,
  isCluster,
  isDistributed,
  moveSchema,
  type Node,
} from './cluster.ts'
import { makeSchema } from './make-schema.ts'

/**
 * `node`: null, the only one there is, or as the cluster chooses. Throws `OperatorError` for what
 * it cannot be added to.
 */
export function addCell(work: SchemaWork, { node }: { node: Node | null }): Promise<Cell> {
  const { progress } = work
  return whileSchemaIsLocked(work, async (client) => {
    await checkSchema(client)
    await checkCopy(client)
    const hasNodes = await isCluster(client)
    const target = node && (await findNode(client, node))
    if (hasNodes) await checkNodes(client)
    const unfinished = await findUnfinished(client)
    if (hasNodes) {
      progress('Sharing the global tables with the nodes')
      await shareGlobalTables(client, work)
    }
    if (unfinished) progress(`Going on with cell ${unfinished.id}, which an earlier run began`)
    else progress('Making the tables of the cell')
    const cell = unfinished ?? (await makeCell(client, hasNodes))
    if (hasNodes && !(await isDistributed(client, cell.schema))) {
      progress('Handing the cell to a node')
      await distributeSchema(client, cell.schema)
    }
    if (target) await moveSchema(client, cell.schema, target)
    if (!hasNodes) {
      progress('Completing the statistics of the planner')
      await inSchema(client, cell.schema, () =>
        completePlannerStatistics(client, plannerSamples, work.signal),
      )
    }
    work.signal?.throwIfAborted()
    await client.query('update cell set is_ready = true, made_at = facteur_now() where id = $1', [
      cell.id,
    ])
    await announceCells(databaseOn(client), cell.id)
    await setTimeout(knownMs)
    return cell
  })
}

async function checkSchema(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ schema: string }>('select current_schema() as schema')
  const schema = rows[0]?.schema
  if (schema !== 'public')
    throw new OperatorError(
      `Cells need the installation in the schema "public": this one is in "${schema ?? 'none'}". Nothing was changed.`,
    )
}

/** Its list of tables is made: the target would not have those of the cell. */
async function checkCopy(client: pg.ClientBase): Promise<void> {
  const { rowCount } = await client.query('select from database_copy')
  if (rowCount !== 0)
    throw new OperatorError(
      'A copy of this database is under way: end it, or give it up by facteur database copy --abort. Nothing was changed.',
    )
}

async function findUnfinished(client: pg.ClientBase): Promise<Cell | null> {
  const { rows } = await client.query<Cell>(
    'select id, schema from cell where not is_ready order by id limit 1',
  )
  return rows[0] ?? null
}

async function makeCell(client: pg.ClientBase, hasNodes: boolean): Promise<Cell> {
  await requireKnowledge(client)
  await client.query('begin')
  try {
    const { rows } = await client.query<{ id: number }>('select max(id) + 1 as id from cell')
    const id = rows[0]?.id ?? 2
    const cell = { id, schema: `cell_${id}` }
    await makeSchema(client, cell.schema, { hasNodes })
    await client.query('insert into public.cell (id, schema, is_ready) values ($1, $2, false)', [
      cell.id,
      cell.schema,
    ])
    await client.query('commit')
    return cell
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    throw error
  }
}

/**
 * Processes stop where `schema_migration` has a name that they do not know (docs/decisions/0051).
 */
async function requireKnowledge(client: pg.ClientBase): Promise<void> {
  await client.query(`
    with known as (delete from compatible_migration where name = '0070_cells.sql' returning *)
    insert into schema_migration (name, hash, applied_at) select name, hash, applied_at from known`)
}
