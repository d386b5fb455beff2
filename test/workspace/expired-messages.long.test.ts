/**
 * Lines of messages under a limit: every read leaves out those that have expired, or says so,
 * whether their rows are there or gone. What is not finished, or was finished lately, stays.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient, each } from '../../client/src/index.ts'
import { sql } from '../../src/database/client/sql.ts'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, assertRefused, textAt, type Answer } from '../support/ask.ts'
import { at } from '../support/json.ts'
import { clientOf } from '../support/mcp.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { signIn } from '../support/sign-in.ts'
import { until } from '../support/until.ts'
import { createOperator } from '../cli/facteur.ts'

const api = await startApi({ entry: operatorEntryPoints() })
const shop = await api.workspace('shop')
const here = '/workspaces/shop/api/v1'
const begunMs = Date.now()
const inDays = (days: number): string => new Date(begunMs + days * 86_400_000).toISOString()

const call = (line: string, body?: object): Promise<Answer> =>
  ask(api.baseUrl, line, {
    key: shop.key,
    headers: { 'accept-language': 'en' },
    ...(body && { body }),
  })
const mail = {
  from: 'hello@shop.test',
  to: 'ada@example.com',
  subject: 'Order',
  text: 'Order',
  tags: { kind: 'order' },
}
const sent = async (more: object = {}): Promise<string> =>
  textAt(await call('POST /api/v1/emails', { ...mail, ...more }), 'id')
const untilDelivered = (id: string) =>
  until(
    () => call(`GET /api/v1/emails/${id}`),
    ({ body }) => at(body, 'status') === 'delivered',
  )

const expired = await sent()
await untilDelivered(expired)
const late = await sent({ scheduled_at: inDays(20) })
const waiting = await sent({ scheduled_at: inDays(200) })
await api.moveClock('21 days')
await untilDelivered(late)
await api.moveClock('33 days')
const fresh = await sent()
await untilDelivered(fresh)
const owner = await signIn(api, { in: { [shop.id]: 'owner' } })
assertAnswered(await owner.ask(`PATCH ${here}/retention`, { body: { messages: 31 } }), 200, {})
const operator = createOperator({ DATABASE_URL: api.database.url })

const names = new Map([
  [expired, 'expired'],
  [late, 'late'],
  [waiting, 'waiting'],
  [fresh, 'fresh'],
])
const named = (entries: unknown, key = 'id'): unknown[] =>
  Array.isArray(entries) ? entries.map((entry) => names.get(String(at(entry, key)))) : [entries]
const listed = async (query: string): Promise<unknown[]> =>
  named(at((await call(`GET /api/v1/emails${query}`)).body, 'data'))
const logged = async (query: string): Promise<unknown[]> =>
  named(at((await owner.ask(`GET ${here}/messages${query}`)).body, 'data'))

const stored = ['fresh', 'waiting', 'late']

async function readsLeaveItOut(): Promise<void> {
  for (const query of [
    '',
    '?recipient=ada@example.com',
    '?tag=kind:order',
    `?since=${inDays(-1)}`,
    `?before=${late}&limit=1`,
  ])
    assert.deepEqual(await listed(query), query.includes('before') ? ['waiting'] : stored, query)
  assert.deepEqual(await listed('?status=delivered'), ['fresh', 'late'])
  assert.deepEqual(await listed('?status=delivered&recipient=ada@example.com'), ['fresh', 'late'])
  assert.deepEqual(await listed('?status=queued'), ['waiting'])
  assert.deepEqual(await listed('?status=bounced'), [])
  assert.deepEqual(await listed(`?until=${inDays(1)}`), ['waiting', 'late'])
  assert.deepEqual(await listed(`?before=${late}`), ['fresh', 'waiting'])
  assert.deepEqual(await listed(`?before=${waiting}`), ['fresh'])
  assert.deepEqual(await listed(`?after=${waiting}`), ['late'])
  for (const location of ['after', 'before'])
    assertRefused(await call(`GET /api/v1/emails?${location}=${expired}`), 'validation_error', {
      rule: 'known_id',
    })
  for (const query of [
    '',
    '?recipient=ada',
    '?subject=order',
    '?tag=kind:order',
    '?kind=single',
    `?since=${inDays(-1)}`,
  ])
    assert.deepEqual(await logged(query), stored, query)
  assert.deepEqual(await logged('?status=delivered'), ['fresh', 'late'])
  assert.deepEqual(await logged('?status=delivered&recipient=ada'), ['fresh', 'late'])
  assert.deepEqual(await logged('?status=queued'), ['waiting'])
  assert.deepEqual(await logged(`?until=${inDays(1)}`), ['waiting', 'late'])
}

async function changesSayIt(): Promise<void> {
  const path = `/api/v1/emails/${expired}`
  for (const answer of [
    await call(`GET ${path}`),
    await call(`PATCH ${path}`, { scheduled_at: inDays(40) }),
    await call(`POST ${path}/cancel`),
    await owner.ask(`GET ${here}/messages/${expired}`),
    await owner.ask(`GET ${here}/messages/${expired}/deliveries`),
  ]) {
    assertRefused(answer, 'not_found', { reason: 'expired', days: 31 })
    assert.equal(
      Date.parse(String(at(answer.body, 'error', 'details', 'expiredAt'))) >
        begunMs + 30 * 86_400_000,
      true,
    )
  }
}

async function clientsLeaveItOut(): Promise<void> {
  const client = createClient({ baseUrl: api.baseUrl, apiKey: shop.key })
  const pages: unknown[] = []
  for await (const summary of each(client.listEmails, { limit: 1 })) pages.push(summary)
  assert.deepEqual(named(pages), stored, 'a page for each')
  await assert.rejects(client.cancelEmail(expired), { code: 'not_found' })
  const agent = clientOf(api.baseUrl, shop.key)
  const refused = await agent.call('get_email', { id: expired })
  assert.deepEqual(
    [refused.isError, at(refused.body, 'error', 'details', 'reason')],
    [true, 'expired'],
  )
}

async function contactsLeaveItOut(): Promise<void> {
  const page = await owner.ask(`GET ${here}/contacts/ada@example.com/mails`)
  assert.deepEqual(named(at(page.body, 'data')), stored)
  const requests = await owner.ask(`GET ${here}/contacts/ada@example.com/engagement`)
  assert.deepEqual(at(requests.body, 'data'), [])
  const known = await operator.json(['contact', 'show', '--workspace', 'shop', 'ada@example.com'])
  assert.deepEqual(named(at(known, 'emails'), 'email_id'), stored)
  assert.deepEqual(at(known, 'requests'), [])
}

const allReads = [readsLeaveItOut, changesSayIt, clientsLeaveItOut, contactsLeaveItOut]

test('lists, searches, changes, agents, the client and contacts: an expired message is left out, or its end is named', async () => {
  await api.run(`insert into engagement (workspace_id, id, kind, visitor, at, user_agent, message_id, recipient_position)
    values (${shop.id}, facteur_event_id(facteur_now(), 1), 'open', 'person', facteur_now(), '', '${expired}', 0)`)
  for (const reads of allReads) await reads()
})

test('a contact of whom only expired messages are left is erased nevertheless', async () => {
  const other = await sent({ to: 'bob@example.com' })
  await untilDelivered(other)
  await api.run(`update message set created_at = created_at - interval '90 days' where id = '${other}';
    update recipient set settled_at = settled_at - interval '90 days', sent_at = sent_at - interval '90 days' where message_id = '${other}'`)
  assertRefused(await owner.ask(`GET ${here}/contacts/bob@example.com`), 'not_found')
  assertAnswered(
    await owner.ask(`POST ${here}/audience/bulk/erase`, {
      body: { selection: { address: 'bob@example.com' } },
    }),
    202,
  )
  await api.run(
    `update bulk_change set next_at = facteur_now(); update due set next_at = facteur_now() where lane = 'bulk'`,
  )
  api.service.wake('bulk')
  await until(
    () =>
      api.service.db.onlyValue<number>(
        sql`select count(*)::int from recipient where address_key = 'bob@example.com'`,
      ),
    (count) => count === 0,
  )
  await api.run(
    `delete from recipient where message_id = '${other}'; delete from message where id = '${other}'`,
  )
})

test('the same once its rows are deleted', async () => {
  await api.run(
    `delete from recipient where message_id = '${expired}'; delete from message where id = '${expired}'`,
  )
  await api.run(`delete from message_search where message_id = '${expired}'`)
  for (const reads of allReads) await reads()
})

test('what an earlier limit deleted: `expired_earlier`', async () => {
  assertAnswered(await owner.ask(`PATCH ${here}/retention`, { body: { messages: null } }), 200, {})
  assertRefused(await call(`GET /api/v1/emails/${expired}`), 'not_found', {
    reason: 'expired_earlier',
  })
  assert.deepEqual(await listed(''), stored)
})
