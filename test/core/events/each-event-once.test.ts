/**
 * Each event is published by what happened, whichever way it happened, in its transaction and once
 * (semantics 4: Event data).
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventKinds, eventTypes, type EventType } from '../../../src/contract/events.ts'
import { plainSchema } from '../../../src/contract/json-schema.ts'
import { confirmSubscriber } from '../../../src/core/audience/consent/confirm-subscriber.ts'
import { createRecordEngagement } from '../../../src/core/tracking/record-engagement.ts'
import { recordFeedback } from '../../../src/core/feedback/record-feedback.ts'
import type { Feedback } from '../../../src/core/feedback-target.ts'
import { assumeDelivered } from '../../../src/core/feedback/assume-delivered.ts'
import { sql } from '../../../src/database/client/sql.ts'
import { startApi, type TestWorkspace } from '../../support/api.ts'
import { ask, assertAnswered, textAt } from '../../support/ask.ts'
import { confirmToken, mailsTo } from '../../support/mails.ts'
import { startReceiver } from '../../support/webhook-receiver.ts'
import { until } from '../../support/until.ts'

const api = await startApi()
const receiver = await startReceiver()
const { service } = api
let workspaces = 0

interface PublishedEvent {
  id: string
  type: EventType
  created_at: string
  data: Record<string, unknown>
}

/** A workspace that subscribes to every event, and a reader of its events. */
async function listening(events: readonly EventType[] = eventTypes) {
  const shop = await api.workspace(`events${workspaces++}`)
  const path = `/w${shop.id}`
  const body = { url: `http://127.0.0.1:${receiver.port}${path}`, events }
  assertAnswered(await ask(api.baseUrl, 'POST /api/v1/webhooks', { key: shop.key, body }), 201)
  const published = (): PublishedEvent[] =>
    receiver.calls.filter((call) => call.path === path).map((call) => JSON.parse(call.body))
  const publishedOf = (type: EventType, count = 1): Promise<PublishedEvent[]> =>
    until(
      () => published().filter((event) => event.type === type),
      (result) => result.length >= count,
    )
  return { shop, published, publishedOf }
}

async function send(shop: TestWorkspace, to: string[], extra: object = {}): Promise<string> {
  const body = {
    from: `hello@${shop.domain}`,
    to,
    subject: 'Bonjour',
    html: '<p><a href="https://shop.example/a">a</a></p>',
    ...extra,
  }
  return textAt(await ask(api.baseUrl, 'POST /api/v1/emails', { key: shop.key, body }), 'id')
}

/**
 * `data` has every key that the contract names for its type, and no other; a broadcast only of a
 * campaign.
 */
function assertShape({ type, data }: PublishedEvent): void {
  const properties = plainSchema(eventKinds[type].data).properties ?? {}
  const isSingle = type.startsWith('email.') && data['campaign_id'] === null
  const keys = Object.keys(properties).filter((key) => !isSingle || key !== 'broadcast_id')
  assert.deepEqual(Object.keys(data).toSorted(), keys.toSorted(), type)
}

test('email.sent and email.delivered: one event for each envelope, with the fields of the message', async () => {
  const { shop, publishedOf } = await listening()
  const id = await send(shop, ['a@example.com', 'B Two <b@example.com>'], {
    tags: { order: '1042' },
  })
  await publishedOf('email.sent', 2)
  const delivered = await publishedOf('email.delivered', 2)
  assert.deepEqual(delivered.map(({ data }) => data['recipient']).toSorted(), [
    'a@example.com',
    'b@example.com',
  ])
  const [publishedEvent] = delivered
  assert.ok(publishedEvent)
  assertShape(publishedEvent)
  const { created_at: createdAt, message_id: messageId, recipient, ...rest } = publishedEvent.data
  assert.match(String(createdAt), /Z$/)
  assert.match(String(messageId), /@/)
  assert.ok(recipient)
  assert.deepEqual(rest, {
    ...{
      email_id: id,
      id,
      from: `hello@${shop.domain}`,
      to: ['a@example.com', 'b@example.com'],
      subject: 'Bonjour',
    },
    ...{ tags: { order: '1042' }, campaign_id: null, subscriber_id: null },
  })
  assert.equal(new Set(delivered.map((event) => event.id)).size, 2)
})

for (const [simulator, type, key] of [
  ['bounce', 'email.bounced', 'bounce'],
  ['complaint', 'email.complained', 'complaint'],
] as const) {
  test(`${type} from the provider's feedback, with suppression.created`, async () => {
    const { shop, publishedOf } = await listening()
    const address = `${simulator}d@example.com`
    const id = await send(shop, [address])
    await publishedOf('email.sent')
    const bounce = {
      kind: 'bounced',
      bounce: 'hard',
      code: '5.1.1',
      detail: '550 5.1.1 unknown',
    } as const
    const complaint = { kind: 'complained', complaint: 'abuse', detail: null } as const
    const news: Feedback = {
      ...{
        source: 'dsn',
        sourceId: `${simulator}-1`,
        target: { messageId: id, position: 0 },
        at: null,
      },
      ...(simulator === 'bounce' ? bounce : complaint),
    }
    await recordFeedback(service, { workspaceId: shop.id, feedback: [news] })
    await recordFeedback(service, { workspaceId: shop.id, feedback: [news] })
    const [event] = await publishedOf(type)
    assert.ok(event)
    assertShape(event)
    const expected =
      simulator === 'bounce'
        ? { type: 'hard', subType: 'hard', message: '550 5.1.1 unknown', code: '5.1.1' }
        : { type: 'abuse' }
    assert.deepEqual(event.data[key], expected)
    const [closed] = await publishedOf('suppression.created')
    assert.ok(closed)
    assertShape(closed)
    assert.equal(closed.data['email'], address)
    assert.equal((await publishedOf(type)).length, 1, 'a repeat tells nothing')
    // Who complains has the message.
    if (type === 'email.complained') assert.equal((await publishedOf('email.delivered')).length, 1)
  })
}

test('email.failed with why', async () => {
  const { shop, publishedOf } = await listening()
  const id = await send(shop, ['full@example.com'])
  await publishedOf('email.sent')
  const news = {
    source: 'dsn',
    sourceId: 'f',
    target: { messageId: id, position: 0 },
    kind: 'failed',
    detail: '554 no',
    at: null,
  } as const
  await recordFeedback(service, { workspaceId: shop.id, feedback: [news] })
  const [event] = await publishedOf('email.failed')
  assert.ok(event)
  assertShape(event)
  assert.equal(event.data['error'], '554 no')
  assert.deepEqual(event.data['failed'], { reason: '554 no' })
})

test('email.scheduled for each envelope of a message for later; email.suppressed and email.failed when its recipient is suppressed meanwhile', async () => {
  const { shop, published, publishedOf } = await listening()
  const at = '2027-01-01T08:00:00.000Z'
  const id = await send(shop, ['later@example.com', 'stays@example.com'], { scheduled_at: at })
  const scheduled = await publishedOf('email.scheduled', 2)
  for (const event of scheduled) {
    assertShape(event)
    assert.deepEqual([event.data['email_id'], event.data['scheduled_at']], [id, at])
  }
  const body = { email: 'later@example.com', reason: 'complaint' }
  assertAnswered(await ask(api.baseUrl, 'POST /api/v1/suppression', { key: shop.key, body }), 201)
  const [withheld] = await publishedOf('email.suppressed')
  const [failed] = await publishedOf('email.failed')
  assert.ok(withheld && failed)
  assertShape(withheld)
  const message = failed.data['error']
  assert.deepEqual(withheld.data['suppressed'], { message, type: 'complaint' })
  assert.equal(withheld.data['recipient'], body.email)
  await publishedOf('suppression.created')
  const count = (type: EventType) => published().filter((event) => event.type === type).length
  assert.deepEqual([count('email.scheduled'), count('email.suppressed')], [2, 1])
})

test('a refused call and a replay schedule nothing; neither does a webhook that names other types', async () => {
  const { shop, published, publishedOf } = await listening(['email.scheduled'])
  const other = await listening(['email.sent'])
  const at = '2027-01-01T08:00:00.000Z'
  const attachments = [{ filename: 'a.txt', content: 'YQ==' }]
  const body = { from: `hello@${shop.domain}`, to: 'a@example.com', subject: 'Bonjour', text: 't' }
  const call = (fields: object, key: string, to = shop) =>
    ask(api.baseUrl, 'POST /api/v1/emails', {
      key: to.key,
      body: { ...body, from: `hello@${to.domain}`, scheduled_at: at, ...fields },
      headers: { 'idempotency-key': key },
    })
  await shop.suppress('gone@example.com', 'manual')
  assertAnswered(await call({ to: ['a@example.com', 'gone@example.com'] }, 'refused'), 422)
  const first = await call({}, 'one')
  assert.equal(textAt(await call({}, 'one'), 'id'), textAt(first, 'id'))
  assertAnswered(await call({ attachments }, 'files'), 202)
  assertAnswered(await call({}, 'other', other.shop), 202)
  await publishedOf('email.scheduled', 2)
  assert.deepEqual([published().length, other.published().length], [2, 0])
})

test('email.delivery_delayed at each attempt that a host puts off', async () => {
  const { shop, publishedOf } = await listening(['email.delivery_delayed'])
  const id = await send(shop, ['deferred@simulator.test'])
  const [event] = await publishedOf('email.delivery_delayed')
  assert.ok(event)
  assertShape(event)
  assert.equal(event.data['email_id'], id)
  assert.match(String(event.data['error']), /^4/)
})

test('email.delivered when delivery is assumed', async () => {
  const { shop, published, publishedOf } = await listening(['email.sent', 'email.delivered'])
  await send(shop, ['quiet@example.com'])
  await publishedOf('email.sent')
  if (!published().some(({ type }) => type === 'email.delivered'))
    await assumeDelivered(service, { workspaceId: shop.id, limits: { silenceSeconds: 0, max: 10 } })
  assert.equal((await publishedOf('email.delivered')).length, 1)
})

test('email.opened once for each recipient, email.clicked for each click that counts; a scanner publishes nothing', async () => {
  const { shop, published, publishedOf } = await listening()
  const id = await send(shop, ['reader@example.com'], { track: { opens: true, clicks: true } })
  await publishedOf('email.delivered')
  const record = createRecordEngagement(service)
  const subject = { of: 'message', workspaceId: shop.id, messageId: id, position: 0 } as const
  const contact = {
    'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Thunderbird/128.4.0',
  }
  const request = {
    subject,
    link: null,
    address: '192.0.2.1',
    kind: 'open',
    method: 'GET',
    headers: contact,
  } as const
  await record({ ...request, headers: { 'user-agent': 'curl/8' } })
  await record({ ...request, kind: 'click', link: 0 })
  await Promise.all([
    record(request),
    record(request),
    record({ ...request, kind: 'click', link: 0 }),
  ])
  const clicks = await publishedOf('email.clicked', 2)
  const [open] = await publishedOf('email.opened')
  assert.ok(open && clicks[0])
  assertShape(open)
  assertShape(clicks[0])
  const { link, machine, userAgent } = clicks[0].data['click'] as Record<string, unknown>
  assert.deepEqual(
    { link, machine, userAgent },
    { link: 'https://shop.example/a', machine: false, userAgent: contact['user-agent'] },
  )
  assert.equal(published().filter(({ type }) => type === 'email.opened').length, 1)
})

test('subscriber.created by the API, subscriber.unsubscribed with its reason; a repetition publishes nothing', async () => {
  const { shop, published, publishedOf } = await listening()
  const body = { email: 'new@example.com', double_opt_in: false, tags: ['t'] }
  await ask(api.baseUrl, 'POST /api/v1/subscribers', { key: shop.key, body })
  await ask(api.baseUrl, 'POST /api/v1/subscribers', { key: shop.key, body })
  const [created] = await publishedOf('subscriber.created')
  assert.ok(created)
  assertShape(created)
  assert.deepEqual(
    [created.data['email'], created.data['status'], created.data['tags']],
    ['new@example.com', 'subscribed', ['t']],
  )
  for (let again = 0; again < 2; again++)
    assertAnswered(
      await ask(api.baseUrl, 'DELETE /api/v1/subscribers/new%40example.com', { key: shop.key }),
      200,
    )
  const [left] = await publishedOf('subscriber.unsubscribed')
  assert.ok(left)
  assert.deepEqual([left.data['status'], left.data['reason']], ['unsubscribed', 'unsubscribe'])
  await publishedOf('suppression.created')
  assert.deepEqual(
    published()
      .map(({ type }) => type)
      .toSorted(),
    [
      ...['contact.created', 'contact.updated', 'contact.updated', 'subscriber.created'],
      ...['subscriber.unsubscribed', 'suppression.created'],
    ],
  )
})

test('contact.created and contact.updated in the form of Resend: by calls, users, a confirmation and leaving', async () => {
  const { shop, published, publishedOf } = await listening(['contact.created', 'contact.updated'])
  const add = (extra: object) =>
    ask(api.baseUrl, 'POST /api/v1/subscribers', {
      key: shop.key,
      body: { email: 'ada@example.com', ...extra },
    })
  assertAnswered(await add({ firstName: 'Ada' }), 201)
  const [created] = await publishedOf('contact.created')
  assert.ok(created)
  assertShape(created)
  const segment = created.data['audience_id']
  const shown = ({ data }: PublishedEvent) => [
    data['first_name'],
    data['unsubscribed'],
    data['segment_ids'],
  ]
  assert.deepEqual(shown(created), ['Ada', false, []])
  const [request] = await mailsTo(service, shop.id, 'ada@example.com')
  const token = confirmToken(request ?? {})
  const confirming = { token, shown: 'Confirm?', ip: '192.0.2.7', userAgent: 'Test/1' }
  await confirmSubscriber(service, { confirming })
  await publishedOf('contact.updated', 1)
  assertAnswered(await add({ firstName: 'Grace' }), 200)
  await publishedOf('contact.updated', 2)
  const leave = 'DELETE /api/v1/subscribers/ada%40example.com'
  assertAnswered(await ask(api.baseUrl, leave, { key: shop.key }), 200)
  const updated = await publishedOf('contact.updated', 3)
  for (const event of updated) assertShape(event)
  assert.deepEqual(updated.toSorted((a, b) => (a.id < b.id ? -1 : 1)).map(shown), [
    ['Ada', false, [segment]],
    ['Grace', false, [segment]],
    ['Grace', true, []],
  ])
  assert.equal(published().length, 4)
})

test('subscriber.confirmed when the contact confirms; a repetition publishes nothing', async () => {
  const { shop, published, publishedOf } = await listening()
  const body = { email: 'new@example.com' }
  assertAnswered(await ask(api.baseUrl, 'POST /api/v1/subscribers', { key: shop.key, body }), 201)
  const [request] = await mailsTo(service, shop.id, body.email)
  const confirming = {
    token: confirmToken(request ?? {}),
    shown: 'Confirm?',
    ip: '192.0.2.7',
    userAgent: 'Test/1',
  }
  for (let again = 0; again < 2; again++) await confirmSubscriber(service, { confirming })
  const [confirmed] = await publishedOf('subscriber.confirmed')
  assert.ok(confirmed)
  assertShape(confirmed)
  assert.deepEqual(
    [confirmed.data['email'], confirmed.data['status']],
    ['new@example.com', 'subscribed'],
  )
  // What comes later shows that the repetition published nothing before it.
  assertAnswered(
    await ask(api.baseUrl, 'DELETE /api/v1/subscribers/new%40example.com', { key: shop.key }),
    200,
  )
  await publishedOf('subscriber.unsubscribed')
  assert.equal(published().filter(({ type }) => type === 'subscriber.confirmed').length, 1)
})

test('a campaign publishes events of its recipients as single messages do, and of its end', async () => {
  const { shop, publishedOf } = await listening()
  for (const email of ['one@example.com', 'two@example.com'])
    await ask(api.baseUrl, 'POST /api/v1/subscribers', {
      key: shop.key,
      body: { email, double_opt_in: false, firstName: 'Ada' },
    })
  const draft = { name: 'n', subject: 'Hello {{firstName}}', text: 't' }
  const id = textAt(
    await ask(api.baseUrl, 'POST /api/v1/campaigns', { key: shop.key, body: draft }),
    'id',
  )
  assertAnswered(
    await ask(api.baseUrl, `POST /api/v1/campaigns/${id}/send`, { key: shop.key }),
    202,
  )
  const sent = await publishedOf('email.sent', 2)
  const [delivered] = await publishedOf('email.delivered', 2)
  assert.ok(delivered)
  assertShape(delivered)
  assert.deepEqual(
    [delivered.data['campaign_id'], delivered.data['email_id'], delivered.data['subject']],
    [id, null, 'Hello Ada'],
  )
  assert.equal(sent.length, 2)
  const [ended] = await publishedOf('campaign.sent')
  assert.ok(ended)
  assertShape(ended)
  assert.equal(ended.data['recipients'], 2)
})

test('no webhook receives types that it does not name, earlier events, or events of another workspace', async () => {
  const early = await api.workspace('early')
  await ask(api.baseUrl, 'POST /api/v1/subscribers', {
    key: early.key,
    body: { email: 'x@example.com', double_opt_in: false },
  })
  const { shop, published, publishedOf } = await listening(['subscriber.unsubscribed'])
  await ask(api.baseUrl, 'POST /api/v1/subscribers', {
    key: early.key,
    body: { email: 'y@example.com', double_opt_in: false },
  })
  await ask(api.baseUrl, 'POST /api/v1/subscribers', {
    key: shop.key,
    body: { email: 'x@example.com', double_opt_in: false },
  })
  await shop.suppress('x@example.com', 'manual')
  const [left] = await publishedOf('subscriber.unsubscribed')
  assert.equal(left?.data['reason'], 'manual')
  assert.equal(published().length, 1)
  const [row] = await service.db.rows<{ stored: number }>(
    sql`select count(*) as stored from event where workspace_id = ${early.id}`,
  )
  assert.equal(row?.stored, 0)
})

test('a statement that publishes nothing is refused whole where a webhook subscribes after all', async () => {
  const { shop, publishedOf } = await listening(['email.sent'])
  // The process does not know of the listener yet when the first outcome is recorded alone.
  await send(shop, ['first@example.com'])
  await publishedOf('email.sent')
  await send(shop, ['second@example.com'])
  assert.equal((await publishedOf('email.sent', 2)).length, 2)
})
