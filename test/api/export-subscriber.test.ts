/** `GET /subscribers/{email}/export` and `POST …/erase`: what is known of a contact, and its end. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/database/client/sql.ts'
import { startApi, type TestWorkspace } from '../support/api.ts'
import { ask, assertAnswered, assertRefused, textAt } from '../support/ask.ts'
import { at } from '../support/json.ts'

const api = await startApi()
const shop = await api.workspace('shop')
const other = await api.workspace('other')
const { db } = api.service

const email = 'camille@example.com'
const add = (address: string, workspace: TestWorkspace = shop) =>
  ask(api.baseUrl, 'POST /api/v1/subscribers', {
    key: workspace.key,
    body: { email: address, firstName: 'Camille', double_opt_in: false },
  })
const send = (to: string) =>
  ask(api.baseUrl, 'POST /api/v1/emails', {
    key: shop.key,
    body: { from: 'hello@shop.test', to, subject: 'Your receipt', text: 'Thank you' },
  })
const exported = (who: string, key = shop.key) =>
  ask(api.baseUrl, `GET /api/v1/subscribers/${encodeURIComponent(who)}/export`, { key })
const erase = (who: string, key = shop.key) =>
  ask(api.baseUrl, `POST /api/v1/subscribers/${encodeURIComponent(who)}/erase`, { key })
const acts = (act: string) =>
  db.rows<{ who: string; subject: string }>(sql`
    select who, subject from audit_log where workspace_id = ${shop.id} and act = ${act} order by id`)

test('200: the export has record, consent and mails of this workspace, by address or identifier, and is in the audit log', async () => {
  const id = textAt(await add(email), 'id')
  await add(email, other)
  assertAnswered(await send(email), 202)
  const answer = await exported(email)
  assertAnswered(answer, 200, {
    object: 'contact',
    email,
    subscriber: { id, firstName: 'Camille', status: 'subscribed' },
    consents: [{ act: 'registered', source: 'api' }],
    emails: [{ subject: 'Your receipt', kind: 'to' }],
    suppression: [],
    campaigns: [],
    engagement: [],
    complete: true,
  })
  assert.match(textAt(answer, 'emails', '0', 'created_at'), /^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/)
  assert.match(textAt(answer, 'consents', '0', 'at'), /^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/)
  assert.deepEqual((await exported(id)).body, (await exported('Camille@Example.com')).body)
  const entries = await acts('person.exported')
  assert.deepEqual(
    entries.map(({ subject }) => subject),
    [email, email, email],
  )
  assert.match(entries[0]?.who ?? '', /^key /)
})

test('404: of an address that only another workspace knows, nothing is exported or erased, and nothing is in the log', async () => {
  await add('theirs@example.com', other)
  const before = (await acts('person.exported')).length
  assertRefused(await exported('theirs@example.com'), 'not_found')
  assertRefused(await erase('theirs@example.com'), 'not_found')
  assertRefused(await exported('no address'), 'not_found')
  assert.equal((await acts('person.exported')).length, before)
  assertAnswered(await exported('theirs@example.com', other.key), 200)
})

test('403: neither permission follows from another, nor one from the other', async () => {
  const writer = await shop.makeKey(['subscribers:read', 'subscribers:write', 'subscribers:erase'])
  assertRefused(await exported(email, writer), 'insufficient_scope', {
    required: 'subscribers:export',
  })
  const exporter = await shop.makeKey([
    'subscribers:read',
    'subscribers:write',
    'subscribers:export',
  ])
  assertRefused(await erase(email, exporter), 'insufficient_scope', {
    required: 'subscribers:erase',
  })
})

test('409 conflict: while a mail to the address is leaving; it is suppressed meanwhile', async () => {
  await add('busy@example.com')
  const id = textAt(await send('busy@example.com'), 'id')
  await shop.capturedMails(id, 1)
  await db.count(sql`
    update recipient set state = 'leased', next_at = facteur_now() + interval '1 hour'
    where workspace_id = ${shop.id} and message_id = ${id}`)
  assertRefused(await erase('busy@example.com'), 'conflict', { reason: 'being_sent' })
  await db.count(sql`
    update recipient set state = 'settled'
    where workspace_id = ${shop.id} and message_id = ${id}`)
  // What the first call suppressed is no reason to keep the address.
  assertAnswered(await erase('busy@example.com'), 200, { erased: true, kept: null })
  await add('busy@example.com')
})

test('200: what named the contact is gone, the exports in the log too; another workspace keeps its own', async () => {
  assertAnswered(await erase(email), 200, { object: 'contact', erased: true, kept: null })
  assertRefused(await exported(email), 'not_found')
  assertRefused(await erase(email), 'not_found')
  const log = await db.rows<{ subject: string }>(sql`
    select subject from audit_log where workspace_id = ${shop.id} and subject like '%camille%'`)
  assert.deepEqual(log, [])
  const [entry] = (await acts('person.erased')).slice(-1)
  assert.equal(entry?.subject, '')
  assert.match(entry?.who ?? '', /^key /)
  assertAnswered(await exported(email, other.key), 200, { email })
})

test('200: who had left stays suppressed after the erasure', async () => {
  await add('left@example.com')
  await ask(api.baseUrl, 'DELETE /api/v1/subscribers/left@example.com', { key: shop.key })
  assertAnswered(await erase('left@example.com'), 200, { erased: true, kept: 'unsubscribe' })
  assertRefused(await add('left@example.com'), 'suppressed_recipient')
})

test('200: a list that is too long is cut, and the answer says so', async () => {
  await add('many@example.com')
  await db.count(sql`
    insert into consent_evidence (workspace_id, id, subscriber_id, email, act, source, at)
    select ${shop.id}, gen_random_uuid(), gen_random_uuid(), 'many@example.com', 'asked', 'api', facteur_now()
    from generate_series(1, 10001)`)
  const answer = await exported('many@example.com')
  assertAnswered(answer, 200, { complete: false })
  assert.equal(Object(at(answer.body, 'consents')).length, 10_000)
})
