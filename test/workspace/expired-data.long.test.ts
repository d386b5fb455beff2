/**
 * A mail's life through all classes: what has expired says since when, to programs, agents and
 * users, whether its rows are there or gone.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/database/client/sql.ts'
import { makeIds } from '../../src/ground/ids.ts'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, assertRefused, textAt, type Answer } from '../support/ask.ts'
import {
  addSubscribers,
  draftOf,
  send as sendCampaign,
  untilSent,
} from '../support/campaign-world.ts'
import { at } from '../support/json.ts'
import { clientOf } from '../support/mcp.ts'
import { operatorEntryPoints, operatorToken } from '../support/operator-entry-points.ts'
import { signIn, type Visitor } from '../support/sign-in.ts'
import { until } from '../support/until.ts'
import { startReceiver } from '../support/webhook-receiver.ts'
import { createOperator } from '../cli/facteur.ts'

const receiver = await startReceiver()
const api = await startApi({ entry: operatorEntryPoints() })
const { service } = api
const shop = await api.workspace('shop')
const here = '/workspaces/shop/api/v1'
const begunMs = Date.now()
const dayMs = 86_400_000

const mail = {
  ...{
    from: 'hello@shop.test',
    to: 'ada@example.com',
    subject: 'Order',
    html: '<p>Order 7</p>',
    text: 'Order 7',
  },
  headers: { 'X-Order': '7' },
  attachments: [{ filename: 'order.txt', content: Buffer.from('seven').toString('base64') }],
}
const call = (line: string, body?: object): Promise<Answer> =>
  ask(api.baseUrl, line, {
    key: shop.key,
    headers: { 'accept-language': 'en' },
    ...(body && { body }),
  })
const owner = (): Promise<Visitor> => signIn(api, { in: { [shop.id]: 'owner' } })

const webhook = textAt(
  await call('POST /api/v1/webhooks', { url: receiver.url, events: ['email.sent'] }),
  'id',
)
const email = textAt(await call('POST /api/v1/emails', mail), 'id')
const scheduled = textAt(
  await call('POST /api/v1/emails', {
    ...mail,
    scheduled_at: new Date(begunMs + 100 * dayMs).toISOString(),
  }),
  'id',
)
await until(
  () => call(`GET /api/v1/emails/${email}`),
  ({ body }) => at(body, 'status') === 'delivered',
)
const delivery = await until(
  async () => at((await call(`GET /api/v1/webhooks/${webhook}/deliveries`)).body, 'data', '0'),
  (entry) => at(entry, 'status') === 'delivered',
)
const [deliveryId, eventId] = [String(at(delivery, 'id')), String(at(delivery, 'event_id'))]
const captured = await service.db.onlyValue<string>(
  sql`select id from captured_mail where message_id = ${email}`,
)
await addSubscribers(api, shop, 2)
const campaign = await draftOf(api, shop)
await sendCampaign(api, shop, campaign)
await untilSent(api, shop, campaign)
const { body: stats } = await until(
  () => call(`GET /api/v1/campaigns/${campaign}/stats`),
  ({ body }) => at(body, 'counts', 'delivered') === 2,
)

/** Asserts a 404 that names the day after so many days. */
function assertExpired(answer: Answer, days: number): void {
  assertRefused(answer, 'not_found', { reason: 'expired', days })
  assert.equal(dayOf(at(answer.body, 'error', 'details', 'expiredAt')), days)
}
const dayOf = (time: unknown): number => Math.round((Date.parse(String(time)) - begunMs) / dayMs)

test('before its limit, everything is read', async () => {
  const user = await owner()
  assertAnswered(await call(`GET /api/v1/emails/${email}`), 200, {
    html: mail.html,
    text: mail.text,
  })
  assert.equal(at((await call(`GET /api/v1/emails/${email}`)).body, 'expiredAt'), undefined)
  assertAnswered(await user.ask(`GET ${here}/captured/${captured}`), 200, { subject: 'Order' })
  assertAnswered(await user.ask(`GET ${here}/messages/${email}`), 200, {
    ...{
      text: 'Order 7',
      can_send_again: true,
      content_expired_at: null,
      details_expired_at: null,
      files: [{ name: 'order.txt' }],
    },
  })
})

test('captured mail: 404 with its end after 7 days, to users, the operator and the command line; its list is empty', async () => {
  await api.moveClock('8 days')
  const user = await owner()
  const reads = async (): Promise<void> => {
    for (const path of ['', '/raw', '/html', '/files/0'])
      assertExpired(await user.ask(`GET ${here}/captured/${captured}${path}`), 7)
    assert.deepEqual(at((await user.ask(`GET ${here}/captured`)).body, 'data'), [])
    const page = await ask(
      api.baseUrl,
      `GET /captured/api/v1/captured/${captured}?workspace=shop`,
      {
        headers: { authorization: `Bearer ${operatorToken}` },
      },
    )
    assertExpired(page, 7)
    const operator = createOperator({ DATABASE_URL: api.database.url })
    const output = await operator.run(['captured', 'raw', '--workspace', 'shop', captured])
    assert.equal(output.code, 1)
    assert.match(output.stderr, new RegExp(`The captured mail "${captured}" expired on`))
  }
  await reads()
  await service.db.count(sql`delete from captured_mail where workspace_id = ${shop.id}`)
  await reads()
  const unknown = await user.ask(`GET ${here}/captured/${makeIds(() => begunMs + 8 * dayMs)()}`)
  assertRefused(unknown, 'not_found')
  assert.equal(at(unknown.body, 'error', 'details', 'reason'), undefined)
})

test('contents and events after 30 days: the line stays, html and text are null beside `expiredAt`, and a replay says when it expired', async () => {
  await api.moveClock('31 days')
  const user = await owner()
  const agent = clientOf(api.baseUrl, shop.key)
  const reads = async (): Promise<void> => {
    const answer = await call(`GET /api/v1/emails/${email}`)
    assertAnswered(answer, 200, {
      subject: 'Order',
      status: 'delivered',
      html: null,
      text: null,
      recipients: [{ email: 'ada@example.com' }],
    })
    assert.equal(dayOf(at(answer.body, 'expiredAt')), 30)
    const tool = await agent.call('get_email', { id: email })
    assert.deepEqual([tool.isError, tool.body], [false, answer.body])
    const page = await user.ask(`GET ${here}/messages/${email}`)
    assertAnswered(page, 200, {
      ...{
        subject: 'Order',
        text: null,
        has_html: false,
        headers: [],
        files: [],
        can_send_again: false,
        details_expired_at: null,
      },
    })
    assert.equal(dayOf(at(page.body, 'content_expired_at')), 30)
    for (const path of ['/raw', '/html', '/files/0'])
      assertExpired(await user.ask(`GET ${here}/messages/${email}${path}`), 30)
    const again = { to: ['ada@example.com'], idempotency_key: 'again' }
    assertExpired(await user.ask(`POST ${here}/messages/${email}/send-again`, { body: again }), 30)

    const replay = await call(`POST /api/v1/webhooks/${webhook}/deliveries/${deliveryId}/replay`)
    assertExpired(replay, 30)
    assert.match(
      String(at(replay.body, 'message')),
      /^This was stored for 30 days and expired on 20/,
    )
    assertExpired(await user.ask(`GET ${here}/webhooks/${webhook}/deliveries/${deliveryId}`), 30)
    assertExpired(await user.ask(`GET ${here}/events/${eventId}`), 30)
    for (const list of ['deliveries', 'journal'])
      assert.deepEqual(
        at((await user.ask(`GET ${here}/webhooks/${webhook}/${list}`)).body, 'data'),
        [],
      )
    assert.deepEqual(
      at((await user.ask(`GET ${here}/messages/${email}/deliveries`)).body, 'data'),
      [],
    )
    assert.deepEqual(at((await call('GET /api/v1/events')).body, 'data'), [])
    assertRefused(await call(`GET /api/v1/events?after=${eventId}`), 'validation_error', {
      rule: 'event',
    })
    const range = { from: new Date(begunMs - dayMs).toISOString() }
    const replayed = await call(`POST /api/v1/webhooks/${webhook}/replay`, {
      ...range,
      only: 'all',
    })
    assertAnswered(replayed, 202, { queued: 0 })
    assert.equal(dayOf(at(replayed.body, 'expiredBefore')), 1)
  }
  await reads()
  for (const table of ['message_body', 'attachment'])
    await api.run(`delete from ${table} where message_id = '${email}'`)
  await api.run('delete from webhook_delivery; delete from event')
  await reads()
})

test('a message that waits for its time has its content, and has it for 30 days after it was sent', async () => {
  await api.moveClock('99 days')
  assertAnswered(await call(`GET /api/v1/emails/${scheduled}`), 200, {
    status: 'queued',
    text: 'Order 7',
  })
  await api.moveClock('101 days')
  await until(
    () => call(`GET /api/v1/emails/${scheduled}`),
    ({ body }) => at(body, 'status') === 'delivered',
  )
  await api.moveClock('130 days')
  assertAnswered(await call(`GET /api/v1/emails/${scheduled}`), 200, { text: 'Order 7' })
  await api.moveClock('132 days')
  assertAnswered(await call(`GET /api/v1/emails/${scheduled}`), 200, { text: null })
})

test('details after 13 months: statistics stay what they were, recipients are neither listed, exported, sent to again nor recounted', async () => {
  await api.moveClock('396 days')
  const user = await owner()
  const operator = createOperator({ DATABASE_URL: api.database.url })
  const reads = async (): Promise<void> => {
    assertAnswered(await call(`GET /api/v1/campaigns/${campaign}/stats`), 200, stats as object)
    assertAnswered(await call(`GET /api/v1/campaigns/${campaign}`), 200, {
      recipients: 2,
      counts: { recipients: 2 },
    })
    const run = await user.ask(`GET ${here}/campaigns/${campaign}/run`)
    assert.equal(dayOf(at(run.body, 'detailsExpiredAt')), 395)
    assertExpired(await user.ask(`GET ${here}/campaigns/${campaign}/recipients`), 395)
    assertExpired(
      await user.ask(`POST ${here}/campaigns/${campaign}/recipients/export`, {
        body: { frozen_at: at(run.body, 'frozenAt') },
      }),
      395,
    )
    for (const act of ['retry', 'release'])
      assertRefused(await user.ask(`POST ${here}/campaigns/${campaign}/${act}`), 'conflict', {
        reason: 'expired',
      })
    for (const command of ['recipients', 'recount']) {
      const output = await operator.run(['campaign', command, '--workspace', 'shop', campaign])
      assert.equal(output.code, 1)
      assert.match(
        output.stderr,
        /The recipients of this campaign expired on .*; its counts and statistics stay/,
      )
    }
    const subscriber = await service.db.onlyValue<string>(
      sql`select id from subscriber where workspace_id = ${shop.id} limit 1`,
    )
    assertExpired(await user.ask(`GET ${here}/messages/${campaign}.${subscriber}`), 395)
    assert.deepEqual(at((await user.ask(`GET ${here}/messages?kind=campaign`)).body, 'data'), [])
    assert.deepEqual(
      at((await user.ask(`GET ${here}/contacts/${subscriber}/mails`)).body, 'data'),
      [],
    )
    const page = await user.ask(`GET ${here}/messages/${email}`)
    assert.equal(dayOf(at(page.body, 'details_expired_at')), 395)
  }
  await reads()
  await api.run('delete from campaign_recipient; delete from engagement; delete from feedback')
  await reads()
})

test('the audit log begins two years ago, and the lines of messages expire only where a limit says so', async () => {
  await api.moveClock('731 days')
  const user = await owner()
  const acts = async (): Promise<unknown> => at((await user.ask(`GET ${here}/audit`)).body, 'data')
  await api.run(`update audit_log set created_at = facteur_now() - interval '731 days'`)
  assert.deepEqual(await acts(), [])
  assertAnswered(await call(`GET /api/v1/emails/${email}`), 200, { subject: 'Order' })
  assertAnswered(await user.ask(`PATCH ${here}/retention`, { body: { messages: 400 } }), 200, {})
  assertExpired(await call(`GET /api/v1/emails/${email}`), 400)
  assertExpired(await user.ask(`GET ${here}/messages/${email}`), 400)
  await api.run(
    `delete from message where id = '${email}'; delete from recipient where message_id = '${email}'`,
  )
  assertExpired(await call(`GET /api/v1/emails/${email}`), 400)
})
