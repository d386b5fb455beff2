/**
 * The verbs of a campaign by key: change, delete, duplicate, check, test, schedule, cancel. The
 * same verbs serve the pages; what members alone may do and read stays theirs.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { test } from 'node:test'
import { sql } from '../../src/database/client/sql.ts'
import { foreignCampaignKeys } from '../../src/contract/campaigns.ts'
import { exampleOf, plainSchema } from '../../src/contract/json-schema.ts'
import { operations } from '../../src/contract/operations.ts'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, assertRefused, textAt, type Answer } from '../support/ask.ts'
import { addSubscribers, draftOf, send, untilSent } from '../support/campaign-world.ts'
import { freePort } from '../support/free-port.ts'
import { at } from '../support/json.ts'
import { confirmToken, mailsTo } from '../support/mails.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { signIn } from '../support/sign-in.ts'

const api = await startApi({ entry: operatorEntryPoints() })
const { db } = api.service
const shop = await api.workspace('shop')
const other = await api.workspace('other')
const editor = await signIn(api, { in: { [shop.id]: 'editor' } })

const byKey = (line: string, body?: unknown, key = shop.key): Promise<Answer> => {
  const [method = '', path = ''] = line.split(' ')
  return ask(api.baseUrl, `${method} /api/v1/campaigns${path}`, {
    key,
    ...(body !== undefined && { body }),
  })
}
const byMember = (line: string, body: object): Promise<Answer> => {
  const [method = '', path = ''] = line.split(' ')
  return editor.ask(`${method} /workspaces/shop/api/v1${path}`, { body })
}
const fieldsOf = (value: unknown): string[] => Object.keys(Object(value)).toSorted()
const campaignFields = fieldsOf(exampleOf(plainSchema(operations.getCampaign.answer.schema)))
const later = '2027-03-01T08:00:00.000Z'

/** A draft that a user began and has not finished. */
const unfinished = async (): Promise<string> => {
  const typed = { name: 'Half', kind: 'text', subject: 'typed by hand' }
  return textAt(await byMember('POST /drafts', typed), 'id')
}
const confirmed = async (email: string): Promise<string> => {
  await ask(api.baseUrl, 'POST /api/v1/subscribers', { key: shop.key, body: { email } })
  const [mail] = await mailsTo(api.service, shop.id, email)
  assert.ok(mail)
  const pressed = await fetch(`${api.baseUrl}/confirm/${confirmToken(mail)}`, { method: 'POST' })
  assert.equal(pressed.status, 200)
  return email
}
const used = () =>
  db.onlyValue<number>(sql`
    select coalesce(sum(used), 0)::int from quota_usage where workspace_id = ${shop.id}`)
const auditOf = (id: string) =>
  db.column<string>(sql`
    select who || ' ' || act from audit_log
    where workspace_id = ${shop.id} and details->>'campaign' = ${id} order by id`)

test('PATCH: what is given takes the place of what was, unknown keys are ignored, null empties', async () => {
  const id = await draftOf(api, shop, { preheader: 'Before', reply_to: 'help@shop.test' })
  const change = { subject: 'Changed', track_opens: false, colour: 'red' }
  const changed = await byKey(`PATCH /${id}`, change)
  assertAnswered(changed, 200, {
    ...{ name: 'News', subject: 'Changed', preheader: 'Before', kind: 'text' },
    ...{ reply_to: ['help@shop.test'], track_opens: false, track_clicks: true },
  })
  assert.deepEqual(fieldsOf(changed.body), campaignFields)
  const emptied = { preheader: null, reply_to: null, track_opens: null, html: '<p>New</p>' }
  assertAnswered(await byKey(`PATCH /${id}`, emptied), 200, {
    ...{ subject: 'Changed', preheader: null, kind: 'html', reply_to: [], track_opens: false },
  })
  assertAnswered(await byKey(`PATCH /${id}`, {}), 200, { subject: 'Changed', kind: 'html' })
})

test('PATCH: refused as a creation is, by name where the key would change who, when or how often', async () => {
  const id = await draftOf(api, shop)
  const refuses = async (change: object, details: object) =>
    assertRefused(await byKey(`PATCH /${id}`, change), 'validation_error', details)
  await refuses({ subject: '' }, { path: 'subject', rule: 'minLength' })
  await refuses({ text: 'x', html: '<p>x</p>' }, { rule: 'one_content' })
  await refuses({ reply_to: 'a@shop.test', replyTo: 'b@shop.test' }, { rule: 'alias_differs' })
  await refuses({ segment_id: 'x' }, { path: 'segment_id', rule: 'not_supported' })
  await refuses({ scheduled_at: later }, { path: 'scheduled_at', rule: 'not_supported' })
  assertRefused(
    await byKey(`PATCH /${id}`, { from: 'a@elsewhere.example' }),
    'unverified_from_domain',
  )
  assertRefused(await byKey(`PATCH /${id}`, { from: 'nobody@shop.test' }), 'not_found')
})

test('409 conflict: what a user left unfinished is neither changed beside its content, sent, tested, checked nor scheduled by a key', async () => {
  const id = await unfinished()
  for (const [line, body] of [
    [`PATCH /${id}`, { subject: 'Mine' }],
    [`POST /${id}/send`, undefined],
    [`POST /${id}/test`, { to: editor.email }],
    [`POST /${id}/preflight`, undefined],
    [`POST /${id}/schedule`, { scheduledAt: later }],
  ] as const) {
    const answer = await byKey(line, body)
    assertRefused(answer, 'conflict', { reason: 'unfinished', status: 'draft' })
    assert.doesNotMatch(JSON.stringify(answer.body), /typed by hand/)
  }
  const copied = await byKey(`POST /${id}/duplicate`)
  assertAnswered(copied, 201, { name: 'Half', status: 'draft' })
  assert.doesNotMatch(JSON.stringify(copied.body), /typed by hand/)
})

test('DELETE: a draft is gone, anything else stays; the audit log names the key', async () => {
  const id = await draftOf(api, shop)
  const scheduled = await draftOf(api, shop)
  assertAnswered(await byKey(`POST /${scheduled}/schedule`, { scheduledAt: later }), 200)
  assertRefused(await byKey(`DELETE /${scheduled}`), 'conflict', { status: 'scheduled' })
  assertAnswered(await byKey(`DELETE /${id}`), 200, { object: 'campaign', id, deleted: true })
  assertRefused(await byKey(`GET /${id}`), 'not_found', { id })
  assertRefused(await byKey(`DELETE /${id}`), 'not_found', { id })
  assert.match((await auditOf(id)).join(), /^key .* campaign\.deleted$/)
})

test('schedule, unschedule: in either spelling, moved and taken back, with the campaign alone in the answer', async () => {
  const id = await draftOf(api, shop)
  const scheduled = await byKey(`POST /${id}/schedule`, {
    scheduled_at: '2027-03-01T09:00:00+01:00',
  })
  assertAnswered(scheduled, 200, { status: 'scheduled', scheduledAt: later })
  assert.deepEqual(fieldsOf(scheduled.body), campaignFields)
  const moved = { scheduledAt: '2027-03-02T08:00:00Z' }
  assertAnswered(await byKey(`POST /${id}/schedule`, moved), 200, {
    scheduledAt: '2027-03-02T08:00:00.000Z',
  })
  assertAnswered(await byKey(`POST /${id}/unschedule`), 200, { status: 'draft', scheduledAt: null })
  assertRefused(await byKey(`POST /${id}/unschedule`), 'conflict', { status: 'draft' })
  assert.match(
    (await auditOf(id)).join(),
    /^key .* campaign\.scheduled,key .* campaign\.scheduled,key .* campaign\.unscheduled$/,
  )
  for (const [body, details] of [
    [{}, { path: 'scheduledAt', rule: 'required' }],
    [{ scheduledAt: later, scheduled_at: '2027-03-03T08:00:00Z' }, { rule: 'alias_differs' }],
    [{ scheduledAt: '2020-01-01T00:00:00Z' }, { rule: 'in_the_past' }],
    [
      { scheduledAt: later, segment_id: 'x' },
      { path: 'segment_id', rule: 'not_supported' },
    ],
    [
      { scheduledAt: later, timezone: 'x' },
      { path: 'timezone', rule: 'not_supported' },
    ],
  ] as const)
    assertRefused(await byKey(`POST /${id}/schedule`, body), 'validation_error', details)
})

test('duplicate: with no body, an empty one or a name; never with other recipients', async () => {
  const id = await draftOf(api, shop, { reply_to: 'help@shop.test', track_clicks: false })
  for (const [requested, name] of [
    [undefined, 'News'],
    [{}, 'News'],
    [{ name: 'Again' }, 'Again'],
  ] as const) {
    const copy = await byKey(`POST /${id}/duplicate`, requested)
    assertAnswered(copy, 201, { name, reply_to: ['help@shop.test'], track_clicks: false })
    assert.deepEqual(fieldsOf(copy.body), campaignFields)
    assert.notEqual(textAt(copy, 'id'), id)
  }
  assertRefused(await byKey(`POST /${id}/duplicate`, { audience_id: 'x' }), 'validation_error', {
    path: 'audience_id',
  })
})

test('preflight: what is wrong, what would harm, and whom it would reach', async () => {
  const id = await draftOf(api, shop, { text: 'Nothing to follow' })
  const answer = await byKey(`POST /${id}/preflight`)
  assertAnswered(answer, 200, { object: 'campaign_preflight', id, problems: [] })
  assert.equal(typeof at(answer.body, 'audience', 'reachable'), 'number')
  const findings = at(answer.body, 'findings') as { check: string; status: string }[]
  assert.equal(findings.find(({ check }) => check === 'postal_address')?.status, 'problem')
  assert.equal((await byKey(`GET /${id}`)).status, 200)
})

test('preflight: no link is asked any longer for a caller who has gone', async (t) => {
  const requests: ServerResponse[] = []
  let isOpen = false
  const site = createServer((_request, response) => {
    requests.push(response)
    if (isOpen) response.end()
    else site.emit('held')
  })
  const port = await freePort()
  await new Promise<void>((listening) => site.listen(port, '127.0.0.1', listening))
  t.after(() => site.close())
  t.after(() => site.closeAllConnections())
  const id = await draftOf(api, shop, { text: `See http://127.0.0.1:${port}/held` })
  const gone = new AbortController()
  const waiting = once(site, 'held')
  const call = fetch(`${api.baseUrl}/api/v1/campaigns/${id}/preflight`, {
    ...{ method: 'POST', signal: gone.signal },
    headers: { authorization: `Bearer ${shop.key}` },
  })
  await waiting
  const [response] = requests
  assert.ok(response)
  const closed = once(response, 'close')
  gone.abort()
  await assert.rejects(call)
  await closed
  isOpen = true
  assert.equal((await byKey(`POST /${id}/preflight`)).status, 200)
  // What a site did not answer in time would be remembered, and not asked again.
  assert.equal(requests.length, 2)
})

test('test: to members and to who confirmed by a click, with the address for replies; each copy counts in the quota, and the audit log has the test', async () => {
  const reader = await confirmed('reader@example.com')
  const id = await draftOf(api, shop, { subject: 'Soon', reply_to: 'Help <help@shop.test>' })
  const before = await used()
  const alone = await byKey(`POST /${id}/test`, { to: editor.email })
  assertAnswered(alone, 202, { object: 'campaign_test', id })
  assert.equal(await used(), before + 1)
  const answer = await byKey(`POST /${id}/test`, {
    to: [editor.email, reader, 'READER@example.com'],
  })
  assertAnswered(answer, 202)
  const data = at(answer.body, 'data') as { id: string; to: string }[]
  assert.deepEqual(
    data.map(({ to }) => to),
    [editor.email, reader],
  )
  assert.equal(await used(), before + 3)
  const audited = await db.rows(sql`
    select who like 'key %' as by_key, subject, details from audit_log
    where workspace_id = ${shop.id} and act = 'campaign.tested' order by id`)
  const { name } = (await byKey(`GET /${id}`)).body as { name: string }
  assert.deepEqual(
    audited,
    [1, 2].map((recipients) => ({
      byKey: true,
      subject: name,
      details: { campaign: id, recipients },
    })),
  )
  const [raw] = await shop.capturedMails(data[1]?.id ?? '', 1)
  assert.match(String(raw), /^Subject: \[Test\] Soon\r$/m)
  assert.match(String(raw), /^Reply-To: Help <help@shop\.test>\r$/m)
  const single = await ask(api.baseUrl, `GET /api/v1/emails/${data[1]?.id}`, { key: shop.key })
  assertRefused(single, 'not_found')
})

test('test: nobody else, none of several where one is refused, and at most five', async () => {
  const id = await draftOf(api, shop)
  const added = { email: 'added@example.com', double_opt_in: false }
  await ask(api.baseUrl, 'POST /api/v1/subscribers', { key: shop.key, body: added })
  const stranger = await signIn(api, { in: { [other.id]: 'owner' } })
  const messages = () => db.count(sql`select from message where workspace_id = ${shop.id}`)
  const before = await messages()
  for (const to of ['added@example.com', 'nobody@example.com', stranger.email]) {
    // It says nothing of who is a member or confirmed: the key reads no subscribers.
    const answer = await byKey(`POST /${id}/test`, { to: [editor.email, to] })
    assertRefused(answer, 'validation_error', { path: 'to', rule: 'test_reader' })
    assert.deepEqual(at(answer.body, 'error', 'details', 'errors'), [
      { path: 'to', rule: 'test_reader' },
    ])
    assert.doesNotMatch(JSON.stringify(answer.body), /@/)
  }
  const many = Array.from({ length: 6 }, (_, n) => `many${n}@example.com`)
  assertRefused(await byKey(`POST /${id}/test`, { to: many }), 'validation_error', { path: 'to' })
  assertRefused(await byKey(`POST /${id}/test`, {}), 'validation_error', {
    path: 'to',
    rule: 'required',
  })
  assertRefused(await byKey(`POST /${id}/test`), 'validation_error', { path: 'to' })
  await shop.suppress(editor.email, 'manual')
  assertRefused(await byKey(`POST /${id}/test`, { to: editor.email }), 'suppressed_recipient', {
    email: editor.email,
  })
  assert.equal(await messages(), before)
})

test('402 quota_exceeded: a test to a subscriber where nothing is left of the quota', async () => {
  const small = await api.workspace('small', { monthlyQuota: 1 })
  const id = await draftOf(api, small)
  for (const email of ['a@example.com', 'b@example.com'])
    await db.count(sql`
      insert into subscriber (workspace_id, id, email, status, created_at, updated_at, confirmed_at)
      values (${small.id}, ${api.service.makeId()}, ${email}, 'subscribed', facteur_now(), facteur_now(), facteur_now())`)
  const to = ['a@example.com', 'b@example.com']
  assertRefused(await byKey(`POST /${id}/test`, { to }, small.key), 'quota_exceeded', {
    needed: 2,
    remaining: 1,
  })
  assertAnswered(await byKey(`POST /${id}/test`, { to: to[0] }, small.key), 202)
})

test('cancel: one on its way ends; one that has not begun does not', async () => {
  await addSubscribers(api, shop, 3)
  const id = await draftOf(api, shop, { reply_to: 'help@shop.test' })
  assertRefused(await byKey(`POST /${id}/cancel`), 'conflict', { status: 'draft' })
  const withheld = await byMember(
    `POST /campaigns/${id}/send?confirm_recipients=${await reached()}`,
    {},
  )
  assertAnswered(withheld, 202)
  const cancelled = await byKey(`POST /${id}/cancel`)
  assertAnswered(cancelled, 200, { status: 'sent', progress: { pending: 0, sent: 0 } })
  assert.deepEqual(fieldsOf(cancelled.body), campaignFields)
  assert.match((await auditOf(id)).at(-1) ?? '', /^key .* campaign\.canceled$/)
})

const reached = async (): Promise<number> =>
  Number(at((await ask(api.baseUrl, 'GET /api/v1/me', { key: shop.key })).body, 'subscribers'))

test('send: a body that names other recipients or another time is refused, and any other is ignored', async () => {
  const id = await draftOf(api, shop, { reply_to: ['help@shop.test', 'Bo <bo@shop.test>'] })
  for (const key of Object.keys(foreignCampaignKeys['']))
    assertRefused(await byKey(`POST /${id}/send`, { [key]: 'x' }), 'validation_error', {
      path: key,
      rule: 'not_supported',
    })
  assertAnswered(await byKey(`GET /${id}`), 200, { status: 'draft' })
  const line = `POST /api/v1/campaigns/${id}/send`
  const whatever = await ask(api.baseUrl, line, { key: shop.key, raw: '{', type: 'text/plain' })
  assertAnswered(whatever, 202)
  await untilSent(api, shop, id)
  const raw = await db.column<Buffer>(sql`
    select raw from captured_mail where workspace_id = ${shop.id} and campaign_id = ${id}`)
  assert.ok(raw.length > 0)
  for (const mail of raw)
    assert.match(String(mail), /^Reply-To: help@shop\.test, Bo <bo@shop\.test>\r$/m)
  const copy = await byKey(`POST /${id}/duplicate`)
  assert.equal((await send(api, shop, textAt(copy, 'id'))).status, 202)
})

test('404 not_found: a campaign of another workspace, for each of them', async () => {
  const id = await draftOf(api, shop)
  for (const [line, body] of [
    [`PATCH /${id}`, { name: 'theirs' }],
    [`DELETE /${id}`, undefined],
    [`POST /${id}/schedule`, { scheduledAt: later }],
    [`POST /${id}/unschedule`, undefined],
    [`POST /${id}/cancel`, undefined],
    [`POST /${id}/duplicate`, undefined],
    [`POST /${id}/preflight`, undefined],
    [`POST /${id}/test`, { to: editor.email }],
  ] as const)
    assertRefused(await byKey(line, body, other.key), 'not_found', { id })
  assertAnswered(await byKey(`GET /${id}`), 200, { name: 'News', status: 'draft' })
})
