/** `facteur webhook …`, beside a running service. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { publishEvents } from '../../src/core/events/publish-events.ts'
import { sql } from '../../src/database/client/sql.ts'
import { startApi } from '../support/api.ts'
import { ask, textAt } from '../support/ask.ts'
import { startReceiver } from '../support/webhook-receiver.ts'
import { createOperator } from './facteur.ts'
import { until } from '../support/until.ts'

const quiet = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
}
const api = await startApi({ log: quiet })
const receiver = await startReceiver()
const workspace = await api.workspace('hooks')
// The key that the test's service seals with.
const operator = createOperator({
  DATABASE_URL: api.database.url,
  FACTEUR_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
})
const W = ['--workspace', 'hooks']

test('create, show, list: printed in words, the secret by the first two', async () => {
  const created = (await operator.json([
    'webhook',
    'create',
    ...W,
    '--events',
    'email.sent,email.bounced',
    receiver.url,
  ])) as {
    id: string
    secret: string
  }
  const text = await operator.text(['webhook', 'show', ...W, created.id])
  assert.match(text, new RegExp(`Secret: ${created.secret.replaceAll(/[+]/g, '\\+')}`))
  assert.equal(
    textAt(
      await ask(api.baseUrl, `GET /api/v1/webhooks/${created.id}`, { key: workspace.key }),
      'secret',
    ),
    created.secret,
  )
  const listed = await operator.text(['webhook', 'list', ...W])
  assert.ok(listed.includes(created.id) && !listed.includes('whsec_'))
})

test('an unknown type, a URL that is never called and an unknown webhook are refused in words', async () => {
  await operator.refused(['webhook', 'create', ...W, '--events', 'email.send', receiver.url], {
    ...{ code: 'usage', exit: 2, message: /Did you mean|email\.sent/ },
  })
  await operator.refused(
    ['webhook', 'create', ...W, '--events', 'email.sent', 'https://10.0.0.1/'],
    {
      ...{ code: 'refused', exit: 1, message: /`URL` leads to an address that is not public/ },
    },
  )
  await operator.refused(
    ['webhook', 'create', ...W, '--events', 'email.sent', `https://a.test/${'x'.repeat(2_100)}`],
    {
      ...{ code: 'usage', exit: 2, message: /^URL is .*2048 characters/ },
    },
  )
  await operator.refused(['webhook', 'show', ...W, 'nothing'], {
    code: 'not_found',
    exit: 1,
    message: /./,
  })
})

test('test, deliveries, replay, update, rotate, delete', async () => {
  const { id } = (await operator.json([
    'webhook',
    'create',
    ...W,
    '--events',
    'campaign.sent',
    receiver.url,
  ])) as { id: string }
  assert.match(await operator.text(['webhook', 'test', ...W, id]), /answered 200/)
  const journal = (await operator.json(['webhook', 'deliveries', ...W, id])) as {
    data: { id: string; status: string }[]
  }
  const [entry] = journal.data
  assert.equal(entry?.status, 'delivered')
  assert.match(await operator.text(['webhook', 'replay', ...W, id, entry.id]), /answered 200/)
  assert.match(
    await operator.text(['webhook', 'set', ...W, id, '--enabled', 'off', '--name', 'shop']),
    /shop is disabled/,
  )
  await api.service.db.transaction((tx) =>
    publishEvents(tx, workspace.id, [{ type: 'campaign.sent', data: {} }]),
  )
  assert.match(
    await operator.text(['webhook', 'replay', ...W, id, '--from', '2020-01-01T00:00:00Z']),
    /1 deliveries/,
  )
  assert.match(await operator.text(['webhook', 'rotate', ...W, id]), /whsec_/)
  assert.match(await operator.text(['webhook', 'disable-failing', ...W, 'on']), /disabled/)
  receiver.answer = (_request, response) => void response.writeHead(500).end()
  const failed = await operator.run(['webhook', 'test', ...W, id])
  assert.equal(failed.code, 1)
  assert.match(failed.stdout.toString(), /Not received: answered 500/)
  assert.match(await operator.text(['webhook', 'delete', ...W, id]), /deleted/)
})

test('one that fails for three days is disabled where that was asked for, and one mail reports it to the workspace', async () => {
  const { db } = api.service
  await operator.text(['webhook', 'disable-failing', ...W, 'on'])
  receiver.answer = (_request, response) => void response.writeHead(500).end()
  const { id } = (await operator.json([
    'webhook',
    'create',
    ...W,
    '--events',
    'suppression.created',
    receiver.url,
  ])) as {
    id: string
  }
  await ask(api.baseUrl, `POST /api/v1/webhooks/${id}/test`, { key: workspace.key })
  await db.count(sql`
    update webhook set failing_since = facteur_now() - interval '3 days 1 minute' where workspace_id = ${workspace.id} and id = ${id}`)
  await workspace.suppress('a@example.com', 'manual')
  const enabled = async (): Promise<boolean> =>
    (
      (await ask(api.baseUrl, `GET /api/v1/webhooks/${id}`, { key: workspace.key })).body as {
        enabled: boolean
      }
    ).enabled
  await until(enabled, (observed) => !observed)
  const notices = await db.rows<{ subject: string }>(
    sql`select subject from message where workspace_id = ${workspace.id}`,
  )
  assert.deepEqual(
    notices.map(({ subject }) => /webhook/.test(subject)),
    [true],
  )
})
