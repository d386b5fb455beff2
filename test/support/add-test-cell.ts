/** Adds the second cell of `FACTEUR_TEST_CELL=2`, in which every new workspace is made. */
import pg from 'pg'
import { announceCells } from '../../src/db/cells/cell-changes.ts'
import { connect } from '../../src/db/connection/connect.ts'
import { makeTestSchema } from './cell-schema.ts'

/** `isOnly`: new workspaces go nowhere else, because cell 1 counts as not ready. */
export async function addTestCell(url: string, { id, isOnly }: { id: number; isOnly: boolean }): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query('begin')
    await makeTestSchema(client, `cell_${id}`)
    await client.query(`insert into public.cell (id, schema, is_ready) values (${id}, 'cell_${id}', true)`)
    if (isOnly) await client.query('update public.cell set is_ready = false where id = 1')
    await client.query('commit')
  } finally {
    await client.end()
  }
  const db = connect({ connectionString: url, poolSize: 1 })
  await db.transaction((tx) => announceCells(tx, id))
  await db.end()
}
