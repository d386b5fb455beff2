/**
 * The connection is lost after the commit: the call finds what it wrote, and is answered once,
 * stored once and debited once.
 */
import assert from 'node:assert/strict'
import { createServer, connect as dial, type AddressInfo, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { sql } from '../../../src/database/client/sql.ts'
import { startApi } from '../../support/api.ts'
import { ask, assertAnswered } from '../../support/ask.ts'
import { at } from '../../support/json.ts'
import { freshDatabase } from '../../support/database.ts'
import { post } from '../../support/relay-world.ts'

/**
 * ReadyForQuery outside a transaction: what was asked is committed (PostgreSQL's protocol, 55.7).
 */
const committed = Buffer.from([0x5a, 0, 0, 0, 5, 0x49])

/**
 * A proxy to PostgreSQL that, on request, withholds the answer to the next statement with this text
 * and cuts the connection.
 */
async function startCutter(
  address: string,
): Promise<{ url: string; cutAfter(text: string): void; cuts(): number }> {
  // A socket's folder stands where a host is absent, which no URL has.
  const target = new URL(address.replace('@/', '@localhost/'))
  const socketFolder = target.searchParams.get('host')
  let text: string | null = null
  let cuts = 0
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const peer =
      socketFolder === null
        ? dial(Number(target.port || 5432), target.hostname)
        : dial(`${socketFolder}/.s.PGSQL.${target.port || 5432}`)
    let isBuffering = false
    const end = (): void => {
      client.destroy()
      peer.destroy()
    }
    for (const socket of [client, peer]) {
      sockets.add(socket)
      socket.on('error', end).on('close', end)
    }
    client.on('data', (chunk) => {
      if (text !== null && chunk.includes(text)) {
        isBuffering = true
        text = null
      }
      peer.write(chunk)
    })
    let buffered = Buffer.alloc(0)
    peer.on('data', (chunk) => {
      if (!isBuffering) return void client.write(chunk)
      buffered = Buffer.concat([buffered, chunk])
      if (!buffered.includes(committed)) return undefined
      cuts++
      return end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  after(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  const url = new URL(target)
  url.search = ''
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  return { url: url.toString(), cutAfter: (next) => (text = next), cuts: () => cuts }
}

const database = await freshDatabase()
const cutter = await startCutter(database.url)
const api = await startApi({
  database: { url: cutter.url, connection: database.connection },
  workers: false,
  log: {
    debug: () => undefined,
    info: () => undefined,
    warn: () => undefined,
    error: () => undefined,
  },
})

const files = [{ filename: 'a.txt', content: 'YQ==' }]
for (const [name, body, headers] of [
  ['a message alone', {}, {}],
  ['a message under a key', {}, { 'idempotency-key': 'lost' }],
  ['a message with a file, in a transaction of its own', { attachments: files }, {}],
] as const) {
  test(`202, one row, one debit: the connection is lost after the commit of ${name}`, async () => {
    const workspace = await api.workspace(name, { monthlyQuota: 5 })
    const before = cutter.cuts()
    cutter.cutAfter(name.includes('file') ? 'commit' : 'into message_body')
    const answer = await post(api, workspace, body, headers)
    assert.equal(cutter.cuts(), before + 1, 'no connection was cut')
    assertAnswered(answer, 202)
    assert.equal(await workspace.messages(), 1)
    const [row] = await database.connection.rows<{ id: string; recipients: number }>(sql`
      select m.id, (select count(*) from recipient r where r.workspace_id = m.workspace_id and r.message_id = m.id)::int as recipients
      from message m where m.workspace_id = ${workspace.id}`)
    assert.deepEqual([row?.id, row?.recipients], [at(answer.body, 'id'), 1])
    const me = await ask(api.baseUrl, 'GET /api/v1/me', { key: workspace.key })
    assert.equal(at(me.body, 'quota', 'used'), 1)
  })
}
