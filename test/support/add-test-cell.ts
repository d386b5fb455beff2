/** Adds the second cell of `FACTEUR_TEST_CELL=2`, in which every new workspace is made; on a cluster, a node has it. */
import pg from 'pg'
import { announceCells } from '../../src/db/cells/cell-changes.ts'
import { distributeSchema, isCluster, shareGlobalTables } from '../../src/db/cells/cluster.ts'
import { makeSchema } from '../../src/db/cells/make-schema.ts'
import { connect } from '../../src/db/connection/connect.ts'
import { makeTestSchema } from './cell-schema.ts'

/** `isOnly`: new workspaces go nowhere else, because cell 1 counts as not ready. */
export async function addTestCell(url: string, { id, isOnly }: { id: number; isOnly: boolean }): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const hasNodes = await isCluster(client)
    await client.query('begin')
    if (hasNodes) await makeSchema(client, `cell_${id}`, { hasNodes })
    else await makeTestSchema(client, `cell_${id}`)
    await client.query(`insert into public.cell (id, schema, is_ready) values (${id}, 'cell_${id}', true)`)
    if (isOnly) await client.query('update public.cell set is_ready = false where id = 1')
    await client.query('commit')
    if (hasNodes) {
      await shareGlobalTables(client)
      await distributeSchema(client, `cell_${id}`)
    }
  } finally {
    await client.end()
  }
  const db = connect({ connectionString: url, poolSize: 1 })
  await db.transaction((tx) => announceCells(tx, id))
  await db.end()
}
