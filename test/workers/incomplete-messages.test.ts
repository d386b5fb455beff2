/** A message whose texts or files are not found does not leave without them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/database/client/sql.ts'
import { createDeliverDue } from '../../src/entrypoints/workers/deliver-due.ts'
import { createSlots } from '../../src/entrypoints/workers/slots.ts'
import { handedOver, startRelayWorld, untilNothingLeased } from '../support/relay-world.ts'

const world = await startRelayWorld()
const { service } = world
const scheduled = {
  scheduled_at: new Date(Date.now() + 3_600_000).toISOString(),
  attachments: [{ filename: 'a.txt', content: Buffer.from('file').toString('base64') }],
}

for (const table of ['message_body', 'attachment'])
  test(`a message whose row of ${table} is missing stays pending, and leaves whole when it is back`, async () => {
    const workspace = await world.workspace(`without-${table.replace('_', '-')}`)
    const deliver = createDeliverDue(service, createSlots(service))
    const id = await handedOver(world, workspace, scheduled)
    const turn = async (): Promise<unknown[]> => {
      await world.run(`update recipient set next_at = facteur_now() where message_id = '${id}'`)
      await deliver(workspace.id, 10, () => undefined)
      await untilNothingLeased(service)
      return service.db.rows(
        sql`select state, status from recipient where workspace_id = ${workspace.id} and message_id = ${id}`,
      )
    }
    await world.run(
      `create table lost_${table} as select * from ${table} where message_id = '${id}'; delete from ${table} where message_id = '${id}'`,
    )
    assert.deepEqual(await turn(), [{ state: 'pending', status: 'queued' }])
    await world.run(`insert into ${table} select * from lost_${table}`)
    assert.deepEqual(await turn(), [{ state: 'settled', status: 'sent' }])
  })
