/** A statement ends when its work is to stop, whenever that is requested. */
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { cancelOnAbort } from '../../../src/database/client/cancel-on-abort.ts'
import { DatabaseClient } from '../../../src/database/client/database-client.ts'
import { sqlState } from '../../../src/database/client/database-errors.ts'
import { freshDatabase } from '../../support/database.ts'

async function openClient(t: TestContext): Promise<DatabaseClient> {
  const client = new DatabaseClient({ connectionString: (await freshDatabase(t)).url })
  client.on('error', () => undefined)
  await client.connect()
  t.after(() => client.end())
  return client
}

const long = (client: DatabaseClient) => client.query('select pg_sleep(600)')
const isCancelled = (error: unknown): boolean => sqlState(error) === '57014'

for (const [when, before] of [
  ['before the work began', true],
  ['between two statements', false],
] as const)
  test(`requested ${when}, it cancels the next statement`, async (t) => {
    const client = await openClient(t)
    const stopping = new AbortController()
    if (before) stopping.abort()
    const stopCancelling = cancelOnAbort(client, stopping.signal)
    if (!before) stopping.abort()
    await assert.rejects(long(client), isCancelled)
    stopCancelling()
  })

test('once the work is over, nothing is cancelled', async (t) => {
  const client = await openClient(t)
  const stopping = new AbortController()
  cancelOnAbort(client, stopping.signal)()
  stopping.abort()
  await client.query('select pg_sleep(1)')
})
