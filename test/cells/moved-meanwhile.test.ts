/**
 * A workspace that moves to another cell under a running service: a call that began in the cell
 * that it has left, by a key and by a session; a change that its move refuses; the domain of its
 * mail.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Service } from '../../src/core/context.ts'
import type { Answer, Call } from '../../src/core/dispatch/call.ts'
import { createRequestCounter } from '../../src/core/dispatch/count-request.ts'
import { createDispatch } from '../../src/core/dispatch/dispatch.ts'
import { createSessionDispatch } from '../../src/core/dispatch/session-dispatch.ts'
import { createMailDomains } from '../../src/core/domains/mail-domains.ts'
import { announceCells } from '../../src/database/cells/cell-changes.ts'
import { connect } from '../../src/database/client/connect.ts'
import { copiedTables } from '../../src/database/transport/copied-tables.ts'
import { withCopyClient } from '../../src/database/transport/copy-client.ts'
import { captureWorkspace, closeGate } from '../../src/database/transport/move/workspace-capture.ts'
import { OpenCells } from '../../src/main/cells.ts'
import { addTestCell } from '../support/add-test-cell.ts'
import { startApi } from '../support/api.ts'
import { testCell } from '../support/database.ts'
import { signIn } from '../support/sign-in.ts'

const skip = testCell === null ? false : 'it makes its own second cell'
const quiet = () => undefined
const api = await startApi({
  workers: false,
  log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
})
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
await cells.poll()
await cells.settled()
const countRequest = createRequestCounter(service.db, service)

const moveTo = async (workspaceId: number, cell: number): Promise<void> => {
  await api.run(`update workspace set cell = ${cell} where id = ${workspaceId}`)
  await announceCells(service.db, 1)
  await cells.poll()
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

test('mail of a workspace goes by the domain of the cell that has it', { skip }, async () => {
  await api.run(`
    insert into cell_2.domain (workspace_id, name, status, created_at)
    values (${shop.id}, 'shop.test', 'verified', now());
    insert into cell_2.dns_record
      (workspace_id, domain, name, type, purpose, status, found, in_use, misses, checked_at)
    values (${shop.id}, 'shop.test', 'bounces.shop.test', 'MX', 'return_path',
      'found', '{}', true, 0, now())`)
  const returnPath = async (): Promise<string | null> => {
    const { secrets, clock } = service
    const settings = { baseUrl: api.baseUrl, inboundDomain: null }
    const domains = createMailDomains({ databases: cells, secrets, clock }, settings)
    return (await domains.get(shop.id, 'shop.test')).returnPathHost
  }
  assert.equal(await returnPath(), null)
  await moveTo(shop.id, 2)
  assert.equal(await returnPath(), 'bounces.shop.test')
  await moveTo(shop.id, 1)
})

test(
  'a change that the last step of a move refuses is 503 with Retry-After',
  { skip },
  async () => {
    const call: Call = {
      ...{ operation: 'addSuppression', headers: {}, address: '127.0.0.1', requestId: 'one' },
      input: { params: {}, query: {}, headers: {} },
      readBody: () => Promise.resolve({ email: 'gone@example.com' }),
    }
    await withCopyClient(database.url, async (client) => {
      const tables = (await copiedTables(client)).filter(({ name }) => name === 'suppression')
      await captureWorkspace(client, {
        ...{ workspaceId: shop.id, tables, part: 'open' },
        ...{ progress: () => undefined, signal: new AbortController().signal },
      })
      await closeGate(client, shop.id)
    })
    const [byAKey] = callers
    const answer = (await byAKey?.ask(call)) ?? assert.fail()
    assert.deepEqual([answer.status, answer.headers['Retry-After']], [503, '1'])
    assert.partialDeepStrictEqual(answer.body, { error: { details: { reason: 'changing_cell' } } })
  },
)
