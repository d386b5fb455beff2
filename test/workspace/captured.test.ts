/**
 * Captured mail as the pages read it: searched, sorted by kind, a campaign as one entry, unread for
 * all members until one opens it, and deleted.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MemberAnswerOf } from '../../src/contract/operations.ts'
import { admitNotice } from '../../src/core/notices/admit-notice.ts'
import { sql } from '../../src/database/client/sql.ts'
import { startApi, type TestWorkspace } from '../support/api.ts'
import { ask, assertAnswered, assertRefused, textAt } from '../support/ask.ts'
import { addSubscribers, draftOf, send, untilSent } from '../support/campaign-world.ts'
import { at } from '../support/json.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { signIn } from '../support/sign-in.ts'
import { until } from '../support/until.ts'

const api = await startApi({ entry: operatorEntryPoints() })
const { service } = api
const shop = await api.workspace('shop')
const other = await api.workspace('other')
const viewer = await signIn(api, { in: { [shop.id]: 'viewer' } })
const editor = await signIn(api, { in: { [shop.id]: 'editor' } })
const stranger = await signIn(api, { in: { [other.id]: 'owner' } })
const captured = '/workspaces/shop/api/v1/captured'

type Page = MemberAnswerOf<'listCapturedMails'>

async function list(query: Record<string, string> = {}, path = captured): Promise<Page> {
  const who = path === captured ? viewer : stranger
  const answer = await who.ask(`GET ${path}?${new URLSearchParams(query).toString()}`)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body as Page
}
const subjects = async (query: Record<string, string>): Promise<string[]> =>
  (await list(query)).data.map(({ subject }) => subject).toSorted()

async function mail(body: object, from: TestWorkspace = shop): Promise<string> {
  const whole = { from: `hello@${from.domain}`, subject: 'Hello', text: 'It works.', ...body }
  const sent = await ask(api.baseUrl, 'POST /api/v1/emails', { key: from.key, body: whole })
  assertAnswered(sent, 202)
  await from.capturedMails(textAt(sent, 'id'), 1)
  return textAt(sent, 'id')
}

/** A mail that gives access to the pages; answers its captured copy. */
async function privateMail(): Promise<string> {
  const id = await service.db.transaction((tx) =>
    admitNotice(service, tx, {
      workspaceId: shop.id,
      notice: {
        ...{ from: { name: null, email: 'hello@shop.test' }, to: 'guest@example.com' },
        ...{ subject: 'Invitation', text: 'https://x.test/secret', html: '' },
        ...{ passesUnsubscribe: true, isPrivate: true },
      },
    }),
  )
  service.wake('transactional')
  await shop.capturedMails(id, 1)
  return copyOf(id)
}

const copyOf = (message: string): Promise<string> =>
  service.db.onlyValue<string>(sql`select id from captured_mail where message_id = ${message}`)

const unreadRows = (ids: string[]): Promise<number> =>
  service.db.onlyValue<number>(
    sql`select count(*)::int from captured_mail where id = any (${ids}::uuid[]) and read_at is null`,
  )

test('200: words are found in recipient, sender and subject; to:, from:, subject: and has:link narrow', async () => {
  await mail({ to: 'ada@example.com', subject: 'Your receipt' })
  await mail({ to: 'ada@example.org', subject: 'Sign in', text: 'See https://example.com/in' })
  await mail({ to: 'joan@example.com', from: 'Billing <hello@shop.test>', subject: 'Receipt too' })
  for (const [search, expected] of [
    ['ADA', ['Sign in', 'Your receipt']],
    ['receipt', ['Receipt too', 'Your receipt']],
    ['to:example.com receipt', ['Receipt too', 'Your receipt']],
    ['from:billing', ['Receipt too']],
    ['subject:"your receipt"', ['Your receipt']],
    ['"your receipt" to:ada', ['Your receipt']],
    ['to:billing', []],
    ['has:link', ['Sign in']],
    ['has:link to:joan', []],
    ['subject:%', []],
  ] as const)
    assert.deepEqual(await subjects({ search }), expected, search)
  assert.deepEqual(
    await list({ search: 'ada' }, '/workspaces/other/api/v1/captured').then(({ data }) => data),
    [],
  )
})

test('200: a campaign is one entry with its number; its mails are listed by it, and by a reader’s subject', async () => {
  await addSubscribers(api, shop, 12)
  const id = await draftOf(api, shop, { name: 'December', subject: 'News for {{firstName}}' })
  await send(api, shop, id)
  await untilSent(api, shop, id)
  const folded = await list({ fold: 'campaigns' })
  const entry = folded.data.find(({ campaign }) => campaign?.id === id)
  assert.deepEqual([entry?.mails, entry?.unread, entry?.campaign?.name], [12, 12, 'December'])
  assert.equal(folded.data.filter(({ campaign }) => campaign !== null).length, 1)
  assert.equal(folded.counts?.campaigns, 12)
  assert.equal((await list({ campaign: id, limit: '100' })).data.length, 12)
  assert.deepEqual(await subjects({ search: 'person 7', fold: 'campaigns' }), ['News for Person 7'])
  assert.equal((await list({ kind: 'campaigns', fold: 'campaigns' })).data.length, 1)
  const recipients = await viewer.ask(`GET /workspaces/shop/api/v1/campaigns/${id}/recipients`)
  const copies = (at(recipients.body, 'data') as { captured: string; email: string }[]).map(
    (recipient) => recipient,
  )
  assert.equal(copies.length, 12)
  for (const { captured: copy, email } of copies)
    assertAnswered(await viewer.ask(`GET ${captured}/${copy}`), 200, { recipient: email })
  const [first] = (await list({ campaign: id })).data
  const message = await viewer.ask(`GET /workspaces/shop/api/v1/messages/${first?.message}`)
  assert.equal(at(message.body, 'recipients', '0', 'captured'), first?.id)
})

test('200: kinds are tests of campaigns, confirmations, campaigns and what is unread; each counted', async () => {
  const id = await draftOf(api, shop, { subject: 'Draft' })
  assertAnswered(
    await editor.ask(`POST /workspaces/shop/api/v1/campaigns/${id}/test`, {
      body: { to: [editor.email] },
    }),
    202,
  )
  const added = await ask(api.baseUrl, 'POST /api/v1/subscribers', {
    key: shop.key,
    body: { email: 'new@example.com' },
  })
  assertAnswered(added, 201)
  const { counts } = await until(
    () => list(),
    (page) => page.counts?.tests === 1 && page.counts.confirmations === 1,
  )
  const kindOf = async (kind: string): Promise<string[]> =>
    (await list({ kind })).data.map(({ recipient }) => recipient)
  assert.deepEqual(await kindOf('tests'), [editor.email])
  assert.deepEqual(await kindOf('confirmations'), ['new@example.com'])
  assert.equal((await list({ kind: 'unread', limit: '100' })).data.length, counts?.unread)
  assert.equal(counts?.all, counts?.unread)
})

test('200: what one member opens is read for all; a read mail is no longer unread; another workspace’s stays', async () => {
  const mine = await copyOf(await mail({ to: 'read@example.com' }))
  const foreign = await copyOf(await mail({ to: 'read@example.com' }, other))
  const hidden = await privateMail()
  const mark = { body: { ids: [mine, foreign, hidden] } }
  assertAnswered(await viewer.ask(`POST ${captured}/read`, mark), 200, { read: 1 })
  assertAnswered(await editor.ask(`POST ${captured}/read`, mark), 200, { read: 0 })
  assert.equal(await unreadRows([mine, foreign, hidden]), 2)
  assertAnswered(await editor.ask(`GET ${captured}/${mine}`), 200, { read: true })
  assert.ok(!(await list({ kind: 'unread', limit: '100' })).data.some(({ id }) => id === mine))
  assertRefused(
    await viewer.ask(`POST ${captured}/read`, { body: { ids: [] } }),
    'validation_error',
  )
  const many = Array.from({ length: 101 }, () => service.makeId())
  assertRefused(
    await viewer.ask(`POST ${captured}/read`, { body: { ids: many } }),
    'validation_error',
  )
})

test('mails that give access: in no list, count or search of the workspace, and nobody there deletes them', async () => {
  const before = (await list()).counts
  const hidden = await privateMail()
  assert.deepEqual((await list()).counts, before)
  for (const query of [
    {},
    { fold: 'campaigns' },
    { search: 'guest' },
    { search: 'to:guest@example.com' },
    { search: 'subject:invitation' },
    { search: 'has:link' },
    { kind: 'unread' },
    { kind: 'confirmations' },
    { kind: 'tests' },
  ])
    assert.ok(
      !JSON.stringify(await list({ ...query, limit: '100' })).includes('guest@example.com'),
      JSON.stringify(query),
    )
  for (const query of [`id=${hidden}`, 'search=guest', 'kind=unread&search=invitation'])
    assertAnswered(await editor.ask(`DELETE ${captured}?${query}`), 200, { deleted: 0 })
  const stored = () =>
    service.db.value<number>(sql`select octet_length(raw) from captured_mail where id = ${hidden}`)
  assert.ok(Number(await stored()) > 0)
})

test('DELETE: one, all that match, and all; an editor, not a viewer; of this workspace; in the audit log', async () => {
  await mail({ to: 'gone@example.com', subject: 'Kept elsewhere' }, other)
  const mailId = await copyOf(await mail({ to: 'gone@example.com', subject: 'One' }))
  const foreign = (await list({}, '/workspaces/other/api/v1/captured')).data[0]?.id ?? ''
  assertRefused(await viewer.ask(`DELETE ${captured}?id=${mailId}`), 'insufficient_role')
  assertAnswered(await editor.ask(`DELETE ${captured}?id=${foreign}`), 200, { deleted: 0 })
  assertAnswered(await editor.ask(`DELETE ${captured}?id=${mailId}`), 200, { deleted: 1 })
  assertRefused(await viewer.ask(`GET ${captured}/${mailId}`), 'not_found')
  await mail({ to: 'gone@example.com', subject: 'Two' })
  await mail({ to: 'gone@example.com', subject: 'Three' })
  assertAnswered(await editor.ask(`DELETE ${captured}?search=to:gone`), 200, { deleted: 2 })
  assertAnswered(await editor.ask(`DELETE ${captured}?kind=campaigns`), 200, { deleted: 12 })
  assertRefused(await editor.ask(`DELETE ${captured}`), 'validation_error')
  const rest = (await list()).counts?.all
  assertAnswered(await editor.ask(`DELETE ${captured}?kind=all`), 200, { deleted: rest })
  assert.deepEqual((await list()).data, [])
  assert.notEqual((await list({}, '/workspaces/other/api/v1/captured')).data.length, 0)
  const audited = await service.db.rows<{ subject: string }>(sql`
    select subject from audit_log where workspace_id = ${shop.id} and act = 'captured.deleted' order by id`)
  assert.deepEqual(
    audited.map(({ subject }) => subject),
    [`id=${mailId}`, 'search=to:gone', 'kind=campaigns', 'all'],
  )
})

test('200: a folded list reads the newest 10,000 mails for a page, and goes on behind them', async () => {
  const many = await api.workspace('many')
  const owner = await signIn(api, { in: { [many.id]: 'owner' } })
  await mail({ to: 'first@example.com', subject: 'First' }, many)
  const campaign = service.makeId()
  await api.run(`insert into captured_mail (workspace_id, id, campaign_id, subscriber_id, position, return_path, recipient, raw, captured_at)
    select workspace_id, gen_random_uuid(), '${campaign}', gen_random_uuid(), 0, return_path, 'many@example.com', raw, captured_at + make_interval(secs => n)
    from captured_mail, generate_series(1, 10000) n where workspace_id = ${many.id}`)
  const read = async (query: string): Promise<Page> =>
    (await owner.ask(`GET /workspaces/many/api/v1/captured?fold=campaigns${query}`)).body as Page
  const page = await read('')
  assert.deepEqual(
    page.data.map(({ mails }) => mails),
    [10_000],
  )
  assert.equal(page.counts?.all, 10_000)
  const next = await read(`&cursor=${page.next_cursor}`)
  assert.deepEqual(
    next.data.map(({ subject, mails }) => [subject, mails]),
    [['First', 1]],
  )
  assert.equal(next.has_more, false)
})
