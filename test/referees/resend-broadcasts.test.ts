/** `broadcasts.*` of the unmodified SDK, compared with what the database then has. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Resend } from 'resend'
import { withOwnTags } from '../../src/entrypoints/resend/own-tags.ts'
import { sql } from '../../src/database/client/sql.ts'
import { startApi } from '../support/api.ts'
import { ask, assertRefused, textAt } from '../support/ask.ts'
import { addSubscribers, draftOf, untilSent } from '../support/campaign-world.ts'
import { wellDone } from '../support/sdk-answers.ts'
import { signIn } from '../support/sign-in.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'

const api = await startApi({ entry: operatorEntryPoints() })
const shop = await api.workspace('shop')
const other = await api.workspace('other')
const { db } = api.service
const clientOf = (key: string): Resend => new Resend(key, { baseUrl: `${api.baseUrl}/api/v1` })
const resend = clientOf(shop.key)
await addSubscribers(api, shop, 2)
const { data: segments } = await wellDone(resend.segments.list())
const segmentId = segments[0]?.id ?? ''
const news = { segmentId, from: 'Shop <hello@shop.test>', subject: 'News', html: '<p>Bonjour</p>' }
const later = '2027-03-01T08:00:00.000Z'

const stored = (id: string) =>
  db.row<{
    name: string
    subject: string
    status: string
    source: { html?: string; text?: string }
  }>(
    sql`select name, subject, status, source from campaign where workspace_id = ${shop.id} and id = ${id}`,
  )
const drafts = () => db.count(sql`select from campaign where workspace_id = ${shop.id}`)
type Failed = { name: string; message: string; statusCode: number | null } | null
const errorOf = async (call: Promise<{ error: Failed }>): Promise<string> => {
  const { error } = await call
  return `${error?.statusCode} ${error?.name} ${error?.message}`
}

test('create, get, list, update, duplicate, remove: a campaign, in the shapes of Resend', async () => {
  const { id } = await wellDone(
    resend.broadcasts.create({ ...news, replyTo: 'help@shop.test', previewText: 'Soon' }),
  )
  assert.deepEqual(await stored(id), {
    ...{ name: 'News', subject: 'News', status: 'draft' },
    source: { kind: 'html', html: '<p>Bonjour</p>' },
  })
  const read = await wellDone(resend.broadcasts.get(id))
  assert.partialDeepStrictEqual(read, {
    ...{ object: 'broadcast', id, name: 'News', segment_id: segmentId, audience_id: segmentId },
    ...{ from: 'Shop <hello@shop.test>', subject: 'News', reply_to: ['help@shop.test'] },
    ...{ preview_text: 'Soon', status: 'draft', scheduled_at: null, sent_at: null },
    ...{ topic_id: null, html: '<p>Bonjour</p>', text: null },
  })
  assert.deepEqual(
    await wellDone(resend.broadcasts.update(id, { name: 'December', text: 'Bonsoir' })),
    { id },
  )
  assert.partialDeepStrictEqual(await stored(id), {
    ...{ name: 'December', subject: 'News', source: { text: 'Bonsoir' } },
  })
  const copy = await wellDone(resend.broadcasts.duplicate(id))
  assert.equal((await stored(copy.id))?.name, 'December')
  const page = await wellDone(resend.broadcasts.list({ limit: 1 }))
  assert.deepEqual([page.data.map((each) => each.id), page.has_more], [[copy.id], true])
  const next = await wellDone(resend.broadcasts.list({ limit: 1, after: copy.id }))
  assert.deepEqual(
    next.data.map((each) => [each.id, each.status, each.segment_id]),
    [[id, 'draft', segmentId]],
  )
  assert.deepEqual(await wellDone(resend.broadcasts.remove(id)), {
    ...{ object: 'broadcast', id, deleted: true },
  })
  assert.equal(await stored(id), null)
})

test('braces never mean raw: a value is escaped for where it stands, and Resend’s names are ours', async () => {
  await db.count(sql`
    update subscriber set first_name = '<b>Ada</b>' where workspace_id = ${shop.id} and email = 'person1@example.com'`)
  const html =
    '<p title="{{{FIRST_NAME|you "all"}}}">{{{contact.first_name|there}}} {{{contact.city|nowhere}}} {{{EMAIL}}}</p><a href="{{{RESEND_UNSUBSCRIBE_URL}}}">x</a>'
  const { id } = await wellDone(
    resend.broadcasts.create({ ...news, subject: 'For {{{FIRST_NAME|you}}}', html, send: true }),
  )
  await untilSent(api, shop, id)
  const mails = await db.rows<{ recipient: string; raw: Buffer }>(sql`
    select recipient, raw from captured_mail where workspace_id = ${shop.id} and campaign_id = ${id}`)
  const raw = String(mails.find(({ recipient }) => recipient === 'person1@example.com')?.raw)
  const [, page = ''] = raw.replaceAll('=\r\n', '').replaceAll('=3D', '=').split('<!DOCTYPE html>')
  assert.match(page, /&lt;b&gt;Ada&lt;\/b&gt; nowhere person1@example\.com/)
  assert.doesNotMatch(page, /<b>Ada|\{\{/)
  assert.match(page, /href="http:[^"]*\/unsubscribe\//)
})

test('create with send and scheduledAt: in one transaction with the draft', async () => {
  const scheduled = await wellDone(
    resend.broadcasts.create({ ...news, send: true, scheduledAt: later }),
  )
  assert.equal((await stored(scheduled.id))?.status, 'scheduled')
  const read = await wellDone(resend.broadcasts.get(scheduled.id))
  assert.deepEqual([read.status, read.scheduled_at], ['queued', later])
  assert.deepEqual(await wellDone(resend.broadcasts.cancel(scheduled.id)), {
    ...{ object: 'broadcast', id: scheduled.id },
  })
  assert.equal((await stored(scheduled.id))?.status, 'draft')
  const before = await drafts()
  const past = { ...news, send: true as const, scheduledAt: '2020-01-01T00:00:00Z' }
  assert.match(await errorOf(resend.broadcasts.create(past)), /^422 validation_error/)
  await shop.setReputation({ handOffs: 1000, bounces: 900, complaints: 0 })
  assert.match(
    await errorOf(resend.broadcasts.create({ ...news, send: true })),
    /^422 validation_error/,
  )
  await shop.setReputation({ handOffs: 0, bounces: 0, complaints: 0 })
  assert.equal(await drafts(), before)
})

test('send: at once or at a time, once', async () => {
  const { id } = await wellDone(resend.broadcasts.create(news))
  assert.deepEqual(await wellDone(resend.broadcasts.send(id, { scheduledAt: later })), {
    ...{ id, scheduled_at: later },
  })
  assert.equal((await stored(id))?.status, 'scheduled')
  await wellDone(resend.broadcasts.cancel(id))
  await wellDone(resend.broadcasts.send(id))
  await untilSent(api, shop, id)
  assert.equal((await wellDone(resend.broadcasts.get(id))).status, 'sent')
  assert.match(await errorOf(resend.broadcasts.send(id)), /^409 conflict/)
  assert.match(await errorOf(resend.broadcasts.remove(id)), /^409 conflict/)
  assert.match(await errorOf(resend.broadcasts.cancel(id)), /^409 conflict/)
})

test('422: any segment but the one that is listed, every topic, a time without a send', async () => {
  const before = await drafts()
  for (const change of [
    { segmentId: 'vip' },
    { segmentId: other.domain },
    { topicId: 'news' },
    { scheduledAt: later },
  ]) {
    const call = resend.broadcasts.create({ ...news, ...change } as typeof news)
    assert.match(await errorOf(call), /^422 validation_error/, JSON.stringify(change))
  }
  const { segmentId: _, ...nowhere } = news
  assert.match(await errorOf(resend.broadcasts.create(nowhere as typeof news)), /^422 .*segment_id/)
  const untagged = { ...news, html: '{{{#if X}}}' }
  assert.match(await errorOf(resend.broadcasts.create(untagged)), /^422 validation_error/)
  assert.equal(await drafts(), before)
  const id = await draftOf(api, shop)
  assert.match(await errorOf(resend.broadcasts.update(id, { segmentId: 'vip' })), /^422/)
  assert.match(await errorOf(resend.broadcasts.list({ before: id })), /^422 .*`after`/)
})

test('names of ours stay in triple braces, those of Resend map, and everything else is a field', () => {
  for (const [foreignTag, ours] of [
    ['unsubscribe_url', 'unsubscribe_url'],
    ['view_url', 'view_url'],
    ['firstName', 'firstName'],
    ['fields.city', 'fields.city'],
    ['email', 'email'],
    ['VIEW_URL', 'view_url'],
    ['contact.fields.city', 'fields.city'],
    ['contact.last_name', 'lastName'],
    ['RESEND_UNSUBSCRIBE_URL', 'unsubscribe_url'],
    ['City', 'fields.city'],
    ['constructor', 'fields.constructor'],
    ['__proto__', 'fields.__proto__'],
  ])
    assert.equal(withOwnTags(`{{{${foreignTag}}}}`, { html: true }), `{{${ours}}}`)
})

test('422: keys that would change who gets it, when or how often, in every call that takes a body', async () => {
  const before = await drafts()
  const { id } = await wellDone(resend.broadcasts.create(news))
  const { segmentId: _, ...rest } = news
  for (const [line, key, body] of [
    ['POST /broadcasts', 'audience', { ...rest, segment_id: segmentId, audience: 'vip' }],
    ['POST /broadcasts', 'exclude', { ...rest, segment_id: segmentId, exclude: ['vip'] }],
    ['POST /broadcasts', 'send_at', { ...rest, segment_id: segmentId, send_at: later }],
    [`PATCH /broadcasts/${id}`, 'scheduled_at', { scheduled_at: later }],
    [`PATCH /broadcasts/${id}`, 'send', { send: true }],
    [`PATCH /broadcasts/${id}`, 'topic_id', { topic_id: 'news' }],
    [`POST /broadcasts/${id}/send`, 'segment_id', { segment_id: 'vip' }],
    [`POST /broadcasts/${id}/send`, 'topic_id', { topic_id: 'news' }],
    [`POST /broadcasts/${id}/duplicate`, 'segment_id', { segment_id: 'vip' }],
    [`POST /broadcasts/${id}/duplicate`, 'scheduled_at', { scheduled_at: later }],
    [`POST /broadcasts/${id}/cancel`, 'topic_id', { topic_id: 'news' }],
    [`POST /broadcasts/${id}/cancel`, 'scheduled_at', { scheduled_at: later }],
  ] as const) {
    const [method, path] = line.split(' ')
    const answer = await ask(api.baseUrl, `${method} /api/v1${path}`, { key: shop.key, body })
    assertRefused(answer, 'validation_error', { path: key, rule: 'not_supported' })
  }
  assert.equal((await stored(id))?.status, 'draft')
  assert.equal(await drafts(), before + 1)
})

test('422: a key for one send, which nothing would keep, and the way that sends once', async () => {
  const before = await drafts()
  const body = { ...news, send: true as const }
  assert.match(
    await errorOf(resend.broadcasts.create(body, { idempotencyKey: 'november' } as object)),
    /^422 validation_error .*idempotency-key.*`POST \/broadcasts\/\{id\}\/send`/,
  )
  assert.equal(await drafts(), before)
})

test('the log has refused calls too: of shape, of permission, and those without a counterpart', async () => {
  const key = await shop.makeKey(['campaigns:read', 'campaigns:write'])
  const requested = { key, body: { segment_id: 'vip' } }
  const requestIds = []
  for (const line of ['POST /broadcasts', 'POST /contacts', 'POST /topics']) {
    const [method, path] = line.split(' ')
    const answer = await ask(api.baseUrl, `${method} /api/v1${path}`, requested)
    requestIds.push(answer.headers.get('x-request-id'))
  }
  await api.service.requestLog.flush()
  const logged = await db.rows<{ id: string; code: string }>(sql`
    select request_id as id, code from request_log where workspace_id = ${shop.id}`)
  assert.deepEqual(
    requestIds.map((id) => logged.filter((call) => call.id === id).map(({ code }) => code)),
    [['validation_error'], ['insufficient_scope'], ['not_found']],
  )
})

test('what a user left unfinished is not read; another workspace finds nothing; each call asks its permission', async () => {
  const editor = await signIn(api, { in: { [shop.id]: 'editor' } })
  const typed = { name: 'Half', kind: 'text', text: 'typed by hand', subject: '' }
  const half = textAt(
    await editor.ask('POST /workspaces/shop/api/v1/drafts', { body: typed }),
    'id',
  )
  const read = await wellDone(resend.broadcasts.get(half))
  assert.deepEqual([read.html, read.text], [null, null])
  const id = await draftOf(api, shop)
  const reader = clientOf(await shop.makeKey(['campaigns:read']))
  const writer = clientOf(await shop.makeKey(['campaigns:write']))
  for (const [client, expected] of [
    [clientOf(other.key), /^404 not_found/],
    [reader, /^403 insufficient_scope/],
  ] as const)
    for (const call of [
      client.broadcasts.update(id, { name: 'x' }),
      client.broadcasts.send(id),
      client.broadcasts.cancel(id),
      client.broadcasts.duplicate(id),
      client.broadcasts.remove(id),
    ])
      assert.match(await errorOf(call), expected)
  assert.match(await errorOf(clientOf(other.key).broadcasts.get(id)), /^404 not_found/)
  assert.match(await errorOf(writer.broadcasts.get(id)), /^403 insufficient_scope/)
  assert.match(await errorOf(writer.broadcasts.list()), /^403 insufficient_scope/)
  assert.equal((await wellDone(reader.broadcasts.get(id))).id, id)
  const spelled = await ask(api.baseUrl, 'GET /api/v1/campaigns?after=x', { key: shop.key })
  assert.equal(spelled.status, 422)
  await wellDone(writer.broadcasts.remove(id))
})
