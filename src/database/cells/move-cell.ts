/**
 * Moves a cell to another node of its cluster, while its workspaces go on: by the extension's own
 * replication.
 */
import { OperatorError } from '../../ground/operator-error.ts'
import { whileSchemaIsLocked, type SchemaWork } from '../schema/schema-lock.ts'
import { findNode, isDistributed, moveSchema, nodeOf, watchMove, type Node } from './cluster.ts'

/** Answers where it was. Throws `OperatorError` where it cannot be moved. */
export function moveCell(
  work: SchemaWork,
  { cell, node }: { cell: number; node: Node },
): Promise<Node | null> {
  return whileSchemaIsLocked(work, async (client) => {
    if (cell === 1)
      throw new OperatorError(
        'Cell 1 has the global tables, and stays where it is. Move its workspaces to another cell instead.',
      )
    const { rows } = await client.query<{ schema: string }>(
      'select schema from cell where id = $1 and is_ready',
      [cell],
    )
    const schema = rows[0]?.schema
    if (schema === undefined)
      throw new OperatorError(
        `There is no cell ${cell} that is ready: facteur cell list shows them.`,
      )
    const target = await findNode(client, node)
    if (!(await isDistributed(client, schema)))
      throw new OperatorError(
        `Cell ${cell} was made before this database had nodes, and is on none. Nothing was changed.`,
      )
    const before = await nodeOf(client, schema)
    const endWatch = watchMove({ connectionString: client.address, schema }, work.progress)
    try {
      await moveSchema(client, schema, target)
    } finally {
      endWatch()
    }
    return before
  })
}
