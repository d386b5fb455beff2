/**
 * The client of `facteur/client` against the real service: one method for each operation, and
 * refusals that programs can read.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FacteurError, createClient, each } from '../../client/src/index.ts'
import { operationIds, operations } from '../../src/contract/operations.ts'
import { startApi } from '../support/api.ts'

const api = await startApi()
const shop = await api.workspace('shop')
const facteur = createClient({ baseUrl: `${api.baseUrl}/`, apiKey: shop.key, language: 'en' })

const mail = {
  from: 'hello@shop.test',
  to: 'camille@example.com',
  subject: 'Bonjour',
  text: 'Bonjour',
}

test('there is a method for each operation that a key may call', () => {
  const callable = operationIds.filter((id) => operations[id].entry === 'api')
  assert.deepEqual(Object.keys(facteur).toSorted(), callable.toSorted())
})

test('a message is sent, read, moved and cancelled; the answer of a replay says so', async () => {
  const replays: (string | null)[] = []
  const options = {
    idempotencyKey: 'order-1042',
    onAnswer: ({ headers }: { headers: Headers }) => replays.push(headers.get('idempotent-replay')),
  }
  const call = { ...mail, scheduled_at: inHours(1) }
  const { id } = await facteur.sendEmail(call, options)
  assert.equal((await facteur.sendEmail(call, options)).id, id)
  assert.deepEqual(replays, [null, 'true'])
  const later = inHours(2)
  assert.deepEqual(await facteur.updateEmail(id, { scheduled_at: later }), {
    ...{ object: 'email', id, scheduled_at: later },
  })
  const { status, scheduled_at: scheduledAt, recipients } = await facteur.getEmail(id)
  assert.deepEqual([status, scheduledAt, recipients.length], ['queued', later, 1])
  await facteur.cancelEmail(id)
  assert.equal((await facteur.getEmail(id)).last_event, 'canceled')
})

const inHours = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString()

test('two sends without a key are two messages', async () => {
  const ids = [await facteur.sendEmail(mail), await facteur.sendEmail(mail)].map(({ id }) => id)
  assert.notEqual(ids[0], ids[1])
})

test('a query and a path are written as the operation reads them, special characters included', async () => {
  const email = "o'neil+a&b/c@example.com"
  await facteur.addSubscriber({ email, double_opt_in: false })
  assert.equal((await facteur.getSubscriber(email)).email, email)
  assert.equal((await facteur.removeSubscriber(email)).status, 'unsubscribed')
  const { data } = await facteur.listSuppression({ email, limit: 1, cursor: undefined })
  assert.equal(data[0]?.email, email)
})

test('an argument that is missing, or that would lead to another path, throws before anything is called', () => {
  for (const id of ['', '.', '..']) {
    assert.throws(() => void facteur.getEmail(id), {
      name: 'TypeError',
      message: '`id` is missing',
    })
    assert.throws(() => void facteur.replayWebhookDelivery('a', id), {
      message: '`deliveryId` is missing',
    })
  }
})

test('calls without input take no argument', async () => {
  assert.equal(
    (await createClient({ baseUrl: api.baseUrl, apiKey: undefined }).getApiMap()).object,
    'api',
  )
  assert.equal((await facteur.getAccount()).workspace.slug, 'shop')
  assert.equal((await facteur.listEmails()).object, 'list')
})

test('each iterates over all pages, and requests the next only when it is needed', async () => {
  const many = await api.workspace('many')
  const client = createClient({ baseUrl: api.baseUrl, apiKey: many.key })
  for (let n = 0; n < 5; n++) await client.addSuppression({ email: `n${n}@example.com` })
  let pages = 0
  const options = { onAnswer: () => void pages++ }
  const known: string[] = []
  for await (const { email } of each(client.listSuppression, { limit: 2 }, options))
    known.push(email)
  assert.deepEqual([known.length, new Set(known).size, pages], [5, 5, 3])
  pages = 0
  for await (const entry of each(client.listSuppression, { limit: 2 }, options))
    if (entry.email === known[0]) break
  assert.equal(pages, 1)
})

test('a refusal is a FacteurError with status, code, details and the id of the request, in the client’s language', async () => {
  await assert.rejects(facteur.sendEmail({ ...mail, subject: '' }), (error) => {
    assert.ok(error instanceof FacteurError)
    assert.deepEqual(
      [error.status, error.code, error.name],
      [422, 'validation_error', 'FacteurError'],
    )
    assert.equal(error.message, '`subject` is empty: at least one character is required.')
    assert.partialDeepStrictEqual(error.details, { path: 'subject', rule: 'minLength', limit: 1 })
    assert.match(error.requestId ?? '', /\S/)
    assert.equal(error.retryAfter, undefined)
    return true
  })
})

test('a 429 says after how many seconds to try again, where the client is not to wait', async () => {
  const slow = await api.workspace('slow', { ratePerMinute: 1 })
  const hasty = createClient({ baseUrl: api.baseUrl, apiKey: slow.key, retries: 0 })
  await hasty.getAccount()
  await assert.rejects(hasty.getAccount(), (error) => {
    assert.ok(error instanceof FacteurError)
    assert.ok(error.retryAfter !== undefined && error.retryAfter > 0)
    return true
  })
})
