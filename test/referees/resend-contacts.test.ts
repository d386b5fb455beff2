/** `contacts.*` and `segments.*` of the unmodified SDK, compared with what the database then has. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Resend } from 'resend'
import { sql } from '../../src/database/client/sql.ts'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, assertRefused } from '../support/ask.ts'
import { resendEntryPoints } from '../support/resend-entry-points.ts'
import { wellDone } from '../support/sdk-answers.ts'

const api = await startApi({ entry: resendEntryPoints })
const shop = await api.workspace('shop')
const other = await api.workspace('other')
const { db } = api.service
const clientOf = (key: string): Resend => new Resend(key, { baseUrl: `${api.baseUrl}/api/v1` })
const resend = clientOf(shop.key)

const stored = (email: string) =>
  db.row<{ id: string; status: string; first: string | null; fields: object }>(sql`
    select id, status, first_name as first, fields from subscriber
    where workspace_id = ${shop.id} and email = ${email}`)
const mailsTo = (email: string) =>
  db.count(sql`select from recipient where workspace_id = ${shop.id} and address_key = ${email}`)
const suppressed = (email: string) =>
  db.column<string>(sql`
    select reason from suppression where workspace_id = ${shop.id} and email = ${email}`)
/** Subscribed at once, as `double_opt_in: false` of our own call has it. */
const subscribed = async (email: string): Promise<string> => {
  const body = { email, firstName: 'Inès', double_opt_in: false }
  await ask(api.baseUrl, 'POST /api/v1/subscribers', { key: shop.key, body })
  return (await stored(email))?.id ?? ''
}
/** As programs wrote it before audiences became segments. */
const inAudience = (email: string, audience: string) => ({ email, audienceId: audience })
const errorOf = async (
  call: Promise<{ error: { name: string; message: string; statusCode: number | null } | null }>,
): Promise<string> => {
  const { error } = await call
  return `${error?.statusCode} ${error?.name} ${error?.message}`
}

test('create: pending, with our names and fields, and a mail that asks to confirm', async () => {
  const email = 'new@example.com'
  const { id, object } = await wellDone(
    resend.contacts.create({
      ...{ email, firstName: 'Ada', lastName: 'L', unsubscribed: false },
      properties: { city: 'Lyon', requests: 3, none: null },
    }),
  )
  assert.deepEqual(
    [object, await stored(email)],
    ['contact', { id, status: 'pending', first: 'Ada', fields: { city: 'Lyon', requests: '3' } }],
  )
  assert.equal(await mailsTo(email), 1)
  const { data } = await resend.contacts.get({ email })
  assert.partialDeepStrictEqual(data, {
    ...{ object: 'contact', id, email, first_name: 'Ada', last_name: 'L', unsubscribed: false },
    ...{ status: 'pending', properties: { city: { type: 'string', value: 'Lyon' } } },
  })
})

test('create with unsubscribed: true: nobody is asked, and the address gets nothing', async () => {
  const email = 'never@example.com'
  const { object, id } = await wellDone(resend.contacts.create({ email, unsubscribed: true }))
  assert.equal(object, 'contact')
  assert.match(await errorOf(resend.contacts.get(id)), /^404 not_found/)
  assert.deepEqual([await mailsTo(email), await suppressed(email)], [0, ['unsubscribe']])
  const known = 'known@example.com'
  await subscribed(known)
  const left = await wellDone(resend.contacts.create({ email: known, unsubscribed: true }))
  assert.partialDeepStrictEqual(await stored(known), { id: left.id, status: 'unsubscribed' })
  assert.match(await errorOf(resend.contacts.create({ email: known })), /^422 suppressed_recipient/)
})

test('update: names and properties; `unsubscribed` is the unsubscribe verb, and brings nobody back', async () => {
  const email = 'changed@example.com'
  const id = await subscribed(email)
  assert.deepEqual(await wellDone(resend.contacts.update({ id, firstName: 'Ina' })), {
    object: 'contact',
    id,
  })
  await wellDone(
    resend.contacts.update({ email, unsubscribed: false, properties: { city: 'Nice' } }),
  )
  assert.deepEqual(await stored(email), {
    ...{ id, status: 'subscribed', first: 'Ina', fields: { city: 'Nice' } },
  })
  await wellDone(resend.contacts.update({ id, firstName: null, unsubscribed: true }))
  assert.partialDeepStrictEqual(await stored(email), { status: 'unsubscribed', first: null })
  assert.deepEqual(await suppressed(email), ['unsubscribe'])
  await wellDone(resend.contacts.update({ id, firstName: 'Late', unsubscribed: true }))
  assert.partialDeepStrictEqual(await stored(email), { status: 'unsubscribed', first: null })
  assert.match(
    await errorOf(resend.contacts.update({ id, unsubscribed: false })),
    /^422 suppressed_recipient/,
  )
  const nobody = { email: 'nobody@example.com', firstName: 'x' }
  assert.match(await errorOf(resend.contacts.update(nobody)), /^404 not_found/)
  assert.equal(await stored(nobody.email), null)
})

test('update with unsubscribed: false asks a pending contact nothing again', async () => {
  const email = 'waits@example.com'
  await wellDone(resend.contacts.create({ email }))
  await api.moveClock('3 hours')
  await wellDone(resend.contacts.update({ email, unsubscribed: false }))
  assert.equal(await mailsTo(email), 1)
})

test('remove: the unsubscribe verb, by address or identifier; the record stays', async () => {
  const email = 'gone@example.com'
  const id = await subscribed(email)
  assert.deepEqual(await wellDone(resend.contacts.remove({ id })), {
    ...{ object: 'contact', contact: id, deleted: false },
  })
  assert.equal((await stored(email))?.status, 'unsubscribed')
  assert.equal((await wellDone(resend.contacts.remove(email))).deleted, false)
  assert.match(await errorOf(resend.contacts.remove('nobody@example.com')), /^404 not_found/)
})

test('list: newest first, down by `after`; `before` is refused by name', async () => {
  const all = await wellDone(resend.contacts.list())
  const ids = await db.column<string>(
    sql`select id from subscriber where workspace_id = ${shop.id} order by id desc`,
  )
  assert.deepEqual(
    all.data.map(({ id }) => id),
    ids,
  )
  const page = await wellDone(resend.contacts.list({ limit: 2, after: ids[0] ?? '' }))
  assert.deepEqual([page.data.map(({ id }) => id), page.has_more], [ids.slice(1, 3), true])
  assert.match(await errorOf(resend.contacts.list({ before: ids[2] ?? '' })), /^422 .*`after`/)
})

test('segments: one entry, everyone subscribed; any other segment and every topic is refused', async () => {
  const { data } = await wellDone(resend.segments.list())
  assert.equal(data.length, 1)
  const id = data[0]?.id ?? ''
  assert.equal((await wellDone(resend.segments.get(id))).name, data[0]?.name)
  assert.match(await errorOf(resend.segments.get('x')), /^404 not_found/)
  assert.match(await errorOf(resend.segments.create({ name: 'VIP' })), /^404 not_found .*`tags`/)
  const listed = await wellDone(resend.contacts.list({ segmentId: id }))
  assert.deepEqual(
    listed.data.map((contact) => contact.id),
    await db.column<string>(sql`
      select id from subscriber
      where workspace_id = ${shop.id} and status = 'subscribed' order by id desc`),
  )
  assert.ok(listed.data.length < (await wellDone(resend.contacts.list())).data.length)
  const email = 'segment@example.com'
  for (const call of [
    resend.contacts.create({ email, segments: [{ id: 'vip' }] }),
    resend.contacts.create(inAudience(email, 'vip')),
    resend.contacts.list({ segmentId: 'vip' }),
    resend.contacts.get(inAudience(email, 'vip')),
  ])
    assert.match(await errorOf(call), /^422 validation_error .*`GET \/segments`/)
  const topics = [{ id: 't', subscription: 'opt_in' as const }]
  assert.match(await errorOf(resend.contacts.create({ email, topics })), /^422 validation_error/)
  const someone = await subscribed('topical@example.com')
  for (const body of [{ topics }, { segments: [{ id: 'vip' }] }])
    assertRefused(
      await ask(api.baseUrl, `PATCH /api/v1/contacts/${someone}`, { key: shop.key, body }),
      'validation_error',
      { path: Object.keys(body)[0], rule: 'not_supported' },
    )
  assert.equal(await stored(email), null)
  await wellDone(resend.contacts.create(inAudience(email, id)))
  assert.equal((await stored(email))?.status, 'pending')
})

test('audiences: the older paths answer the one entry, and its id stands in a body too', async () => {
  const call = (line: string, body?: object) =>
    ask(api.baseUrl, line, { key: shop.key, ...(body && { body }) })
  const { data } = await wellDone(resend.segments.list())
  const id = data[0]?.id ?? ''
  assertAnswered(await call('GET /api/v1/audiences'), 200, { data: [{ id }] })
  assertAnswered(await call(`GET /api/v1/audiences/${id}`), 200, { id, object: 'segment' })
  assertRefused(await call('GET /api/v1/audiences/vip'), 'not_found')
  const email = 'audience@example.com'
  for (const [way, of] of [
    [`POST /api/v1/audiences/${id}/contacts`, { email }],
    [`PATCH /api/v1/contacts/${await subscribed('known@example.com')}`, {}],
  ] as const) {
    assertRefused(await call(way, { ...of, audience_id: 'vip' }), 'validation_error', {
      ...{ path: 'audience_id', rule: 'not_supported' },
    })
    assert.ok((await call(way, { ...of, audience_id: id })).status < 300)
  }
  assert.equal((await stored(email))?.status, 'pending')
})

test('422 by name for keys of other services that say who gets mail, and nobody is stored', async () => {
  const email = 'other@example.com'
  for (const [name, value] of Object.entries({
    ...{ status: 'subscribed', list_ids: [3], skip_confirmation: true, groups: ['vip'] },
  }))
    for (const way of ['POST /api/v1/contacts', 'PATCH /api/v1/contacts/known@example.com'])
      assertRefused(
        await ask(api.baseUrl, way, { key: shop.key, body: { email, [name]: value } }),
        'validation_error',
        { path: name, rule: 'not_supported' },
      )
  assert.equal(await stored(email), null)
})

test('another workspace finds nothing, and a key needs the permissions of our own calls', async () => {
  const id = await subscribed('mine@example.com')
  const foreign = clientOf(other.key)
  for (const call of [
    foreign.contacts.get(id),
    foreign.contacts.update({ id, firstName: 'x' }),
    foreign.contacts.remove({ id }),
  ])
    assert.match(await errorOf(call), /^404 not_found/)
  assert.equal((await stored('mine@example.com'))?.status, 'subscribed')
  const reader = clientOf(await shop.makeKey(['subscribers:read']))
  assert.equal((await wellDone(reader.contacts.get(id))).id, id)
  const writer = clientOf(await shop.makeKey(['subscribers:write']))
  for (const call of [
    reader.contacts.create({ email: 'x@example.com' }),
    reader.contacts.update({ id, firstName: 'x' }),
    reader.contacts.remove({ id }),
    writer.contacts.get(id),
    writer.contacts.list(),
    writer.contacts.update({ id, firstName: 'x' }),
    writer.segments.list(),
  ])
    assert.match(await errorOf(call), /^403 insufficient_scope/)
  const malformed = { key: await shop.makeKey(['subscribers:read']), raw: '{' }
  assertRefused(await ask(api.baseUrl, 'POST /api/v1/contacts', malformed), 'insufficient_scope')
})
