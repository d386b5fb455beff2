/**
 * A call that began in the cell that its workspace has left: 503 and Retry-After, by a key and by a
 * session, not what it missed there.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { OpenCells } from '../../src/main/cells.ts'
import type { Service } from '../../src/core/context.ts'
import type { Answer, Call } from '../../src/core/dispatch/call.ts'
import { createRequestCounter } from '../../src/core/dispatch/count-request.ts'
import { createDispatch } from '../../src/core/dispatch/dispatch.ts'
import { createSessionDispatch } from '../../src/core/dispatch/session-dispatch.ts'
import { announceCells } from '../../src/database/cells/cell-changes.ts'
import { connect } from '../../src/database/client/connect.ts'
import { addTestCell } from '../support/add-test-cell.ts'
import { startApi } from '../support/api.ts'
import { testCell } from '../support/database.ts'
import { signIn } from '../support/sign-in.ts'

const skip = testCell === null ? false : 'it makes its own second cell'
const api = await startApi({ workers: false })
const { service, database } = api
if (!skip) await addTestCell(database.url, { isOnly: false })
const cells: OpenCells<Service> = new OpenCells<Service>({
  ...{ db: service.db, clock: service.clock, log: service.log },
  home: (own) => ({ ...service, databases: own }),
  openCell: async (cell) => {
    const db = connect({ connectionString: database.url, schema: cell.schema, poolSize: 2 })
    after(() => db.end())
    return { ...service, databaseId: cell.id, db, databases: cells }
  },
})
await cells.look()
await cells.settled()
const countRequest = createRequestCounter(service.db, service)

const moveTo = async (workspaceId: number, cell: number): Promise<void> => {
  await api.run(`update workspace set cell = ${cell} where id = ${workspaceId}`)
  await announceCells(service.db, 1)
  await cells.look()
}

const shop = await api.workspace('shop')
const { cookie } = await signIn(api, { in: { [shop.id]: 'owner' } })
const [byKey, bySession] = [
  createDispatch(cells.home, countRequest),
  createSessionDispatch(cells.home, countRequest),
]

const callers: { who: string; ask(call: Call): Promise<Answer> }[] = [
  {
    who: 'a key',
    ask: (call) => byKey({ ...call, headers: { authorization: `Bearer ${shop.key}` } }),
  },
  {
    who: 'a session',
    ask: (call) => {
      const { origin, host } = new URL(service.settings.baseUrl)
      const headers = { cookie, origin, host, 'content-type': 'application/json' }
      return bySession({ ...call, headers }, 'shop')
    },
  },
]

for (const { who, ask } of callers)
  test(
    `${who}: 404 of the cell that has the workspace, 503 of one that it leaves meanwhile`,
    { skip },
    async () => {
      const call = (whileRead: () => Promise<void>): Call => ({
        ...{ operation: 'updateWebhook', headers: {}, address: '127.0.0.1', requestId: 'one' },
        input: { params: { id: service.makeId() }, query: {}, headers: {} },
        readBody: async () => (await whileRead(), { name: 'Orders' }),
      })
      assert.deepEqual((await ask(call(async () => undefined))).status, 404)
      const answer = await ask(call(() => moveTo(shop.id, 2)))
      await moveTo(shop.id, 1)
      assert.equal(answer.status, 503)
      assert.equal(answer.headers['Retry-After'], '1')
      assert.partialDeepStrictEqual(answer.body, {
        error: { code: 'internal_error', details: { reason: 'changing_cell' } },
      })
    },
  )
