/**
 * The log of messages: single e-mails and campaigns' mails in one list, found by any known field,
 * and the page of each.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AnswerOf, MemberAnswerOf } from '../../src/contract/operations.ts'
import { readHeaderLines } from '../../src/core/presentation/read-header-lines.ts'
import { eraseContact } from '../../src/core/audience/contacts/erase-contact.ts'
import { sql } from '../../src/database/client/sql.ts'
import { addSubscribers, campaignRow, draftOf, send } from '../support/campaign-world.ts'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, assertRefused, textAt } from '../support/ask.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { signIn } from '../support/sign-in.ts'
import { startReceiver } from '../support/webhook-receiver.ts'
import { until } from '../support/until.ts'

const quiet = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
}
const api = await startApi({ entry: operatorEntryPoints(), log: quiet })
const { service } = api
const shop = await api.workspace('shop')
const other = await api.workspace('other')
const viewer = await signIn(api, { in: { [shop.id]: 'viewer' } })
const editor = await signIn(api, { in: { [shop.id]: 'editor' } })
const stranger = await signIn(api, { in: { [other.id]: 'owner' } })
const at = '/workspaces/shop/api/v1'

type Page = AnswerOf<'listMessages'>['body']
type Detail = AnswerOf<'getMessage'>['body']

async function list(query: Record<string, string> = {}): Promise<Page> {
  const answer = await viewer.ask(`GET ${at}/messages?${new URLSearchParams(query).toString()}`)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body as Page
}

const ids = async (query: Record<string, string>): Promise<string[]> =>
  (await list(query)).data.map(({ id }) => id)

async function read(id: string): Promise<Detail> {
  const answer = await viewer.ask(`GET ${at}/messages/${id}`)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body as Detail
}

const mail = async (body: object): Promise<string> => {
  const whole = { from: 'hello@shop.test', subject: 'Bonjour', text: 'Bonjour', ...body }
  return textAt(await ask(api.baseUrl, 'POST /api/v1/emails', { key: shop.key, body: whole }), 'id')
}

const receiver = await startReceiver()
receiver.answer = (_request, response) => void response.end('thanks')
const eventTypes = ['email.delivered', 'email.bounced']
await editor.ask(`POST ${at}/webhooks`, { body: { url: receiver.url, events: eventTypes } })

const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const invoice = await mail({
  to: ['Léa <lea.dubois@example.com>', 'max@example.org'],
  subject: 'Votre facture n° FR-2048 est prête',
  html: '<p>Bonjour</p><img src="cid:logo">',
  tags: { order: '2048', kind: 'invoice' },
  attachments: [
    { filename: 'logo.png', content: png, content_type: 'image/png', content_id: 'logo' },
  ],
})
const lost = await mail({ to: 'bounced@simulator.test', subject: 'Hello nobody' })
const slow = await mail({ to: 'deferred@simulator.test', subject: 'Later' })
const later = await mail({
  to: 'max@example.org',
  scheduled_at: new Date(Date.now() + 86_400_000).toISOString(),
})
await addSubscribers(api, shop, 30)
await service.db.count(sql`
  insert into subscriber_search_pending (workspace_id, subscriber_id) select workspace_id, id from subscriber where workspace_id = ${shop.id}`)
const campaignId = await draftOf(api, shop, { subject: 'Soldes pour {{firstName}}' })
await send(api, shop, campaignId)
await until(
  () => campaignRow(api, shop, campaignId),
  ({ status }) => status === 'sent',
)
await until(
  () => list({ status: 'bounced' }),
  ({ data }) => data.length > 0,
)
const subscriberOf = (n: number): string =>
  `01990000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`
const mailTo = (n: number): string => `${campaignId}.${subscriberOf(n)}`

test('every message is in one list, newest first: single ones and mails of campaigns, page by page without a gap', async () => {
  const all = (await list({ limit: '100' })).data
  assert.equal(all.length, 34)
  assert.deepEqual(
    all.map(({ created_at }) => created_at),
    all
      .map(({ created_at }) => created_at)
      .toSorted()
      .toReversed(),
  )
  assert.deepEqual(
    all.slice(-4).map(({ id }) => id),
    [later, slow, lost, invoice],
  )
  const paged: string[] = []
  for (let cursor = ''; ;) {
    const page = await list({ limit: '7', ...(cursor && { cursor }) })
    paged.push(...page.data.map(({ id }) => id))
    if (!page.has_more) break
    cursor = page.next_cursor
  }
  assert.deepEqual(
    paged,
    all.map(({ id }) => id),
  )
  assert.partialDeepStrictEqual(all[0], {
    kind: 'campaign',
    id: mailTo(30),
    subject: 'Soldes pour Person 30',
    to: ['person30@example.com'],
  })
})

const searches: [string, Record<string, string>, string[]][] = [
  ['a part of an address, whatever its case', { recipient: 'A.DUB' }, [invoice]],
  [
    'the domain of another recipient',
    { recipient: 'example.org', kind: 'single' },
    [later, invoice],
  ],
  ['the beginning of an address', { recipient: 'le' }, [invoice]],
  ['words of the subject, their beginnings and no accents', { subject: 'prete fact' }, [invoice]],
  ['a number in the subject', { subject: '2048' }, [invoice]],
  ['a tag', { tag: 'order' }, [invoice]],
  ['a tag with its value', { tag: 'kind:invoice' }, [invoice]],
  ['a tag with another value', { tag: 'kind:receipt' }, []],
  ['a status that one has', { status: 'bounced' }, [lost]],
  ['what waits for its time', { status: 'queued', recipient: 'max' }, [later]],
  ['an address and a word', { recipient: 'lea', subject: 'facture' }, [invoice]],
  ['an address and a word that do not meet', { recipient: 'lea', subject: 'nobody' }, []],
  ["a campaign's reader", { recipient: 'person7@' }, [mailTo(7)]],
  [
    "a campaign's subject, and one reader",
    { subject: 'soldes', recipient: 'person12@' },
    [mailTo(12)],
  ],
  ['what nobody has', { recipient: 'nobody@nowhere' }, []],
  ['signs that mean something to a database', { recipient: '%' }, []],
  ['a time to come', { since: '2400-01-01T00:00:00Z' }, []],
]
for (const [what, query, result] of searches) {
  test(`it is searched by ${what}`, async () => {
    assert.deepEqual(await ids(query), result)
  })
}

test('the same is found once the worker has written its index', async () => {
  const indexed = () =>
    service.db.rows(sql`select message_id from message_search where workspace_id = ${shop.id}`)
  const fresh = await mail({ to: 'zoe@example.net', subject: 'Fresh' })
  assert.deepEqual(await ids({ recipient: 'zoe@' }), [fresh], 'found before it is indexed')
  await until(indexed, (rows) => rows.length === 5)
  for (const [what, query, result] of searches) assert.deepEqual(await ids(query), result, what)
})

test("the page of a message shows each recipient's outcome, with the server's reply and its meaning", async () => {
  await until(
    () => read(invoice),
    ({ status }) => status === 'delivered',
  )
  const { recipients, headers, files, tags, to } = await read(invoice)
  assert.deepEqual(to, ['lea.dubois@example.com', 'max@example.org'])
  assert.deepEqual(
    recipients.map(({ email, timeline }) => [email, timeline.map(({ what }) => what)]),
    [
      ['lea.dubois@example.com', ['accepted', 'sent', 'delivered']],
      ['max@example.org', ['accepted', 'sent', 'delivered']],
    ],
  )
  assert.partialDeepStrictEqual(recipients[0]?.timeline[1]?.answer, {
    text: '250 2.0.0 captured',
    code: 250,
    meaning: 'accepted',
  })
  assert.deepEqual(tags, { order: '2048', kind: 'invoice' })
  assert.partialDeepStrictEqual(files, [{ position: 0, name: 'logo.png', type: 'image/png' }])
  assert.ok(headers.some(({ name, value }) => name === 'Message-ID' && value.includes(invoice)))
  const bounced = (await read(lost)).recipients[0]
  assert.equal(bounced?.status, 'bounced')
  assert.deepEqual(bounced?.timeline.at(-1)?.what, 'bounced')
})

test('a refusal for now stays in the timeline with what the server said, and so does when it is tried next', async () => {
  const waiting = await until(
    () => read(slow),
    ({ recipients }) =>
      recipients[0]?.attempts === 1 && !recipients[0].in_doubt && recipients[0].timeline.length > 1,
  )
  assert.deepEqual(
    waiting.recipients[0]?.timeline.map(({ what }) => what),
    ['accepted', 'deferred', 'next_attempt'],
  )
  assert.partialDeepStrictEqual(waiting.recipients[0]?.timeline[1], {
    attempt: 1,
    answer: { text: '451 4.0.0 simulated temporary refusal', code: 451 },
  })
})

test('html is shown for a frame that runs nothing, with its own pictures; the mail and its files can be downloaded', async () => {
  const get = (path: string): Promise<Response> =>
    fetch(`${api.baseUrl}${at}/messages/${path}`, { headers: { cookie: viewer.cookie } })
  const html = await get(`${invoice}/html`)
  assert.match(html.headers.get('content-security-policy') ?? '', /^sandbox; default-src 'none'/)
  assert.match(await html.text(), /<img src="data:image\/png;base64,iVBOR/)
  const raw = await get(`${invoice}/raw`)
  assert.match(raw.headers.get('content-disposition') ?? '', /^attachment; filename="[\w-]+\.eml"/)
  const source = await raw.text()
  assert.match(source, /^From: hello@shop\.test\r\n/)
  // The page's header lines are composed without the files' content, and are those of the mail.
  assert.deepEqual((await read(invoice)).headers, readHeaderLines(Buffer.from(source)))
  const file = await get(`${invoice}/files/0`)
  assert.equal(file.headers.get('content-type'), 'application/octet-stream')
  assert.equal(Buffer.from(await file.arrayBuffer()).toString('base64'), png)
  for (const missing of [`${invoice}/files/1`, `${invoice}/files/-1`, `${lost}/html`])
    assert.equal((await get(missing)).status, 404)
})

test("a campaign's mail is shown as its reader got it, and without the links that are the reader's own", async () => {
  const detail = await read(mailTo(7))
  assert.partialDeepStrictEqual(detail, {
    kind: 'campaign',
    subject: 'Soldes pour Person 7',
    can_send_again: false,
    subscriber_id: subscriberOf(7),
  })
  assert.match(detail.text ?? '', /Dear Person 7/)
  const raw = await fetch(`${api.baseUrl}${at}/messages/${mailTo(7)}/raw`, {
    headers: { cookie: viewer.cookie },
  })
  const link = /https?:\/\/[^>\s]+\/unsubscribe\/[^>\s]+/.exec(await raw.text())?.[0] ?? ''
  assert.match(link, /\/unsubscribe\/0{64}$/)
  assert.equal((await fetch(link, { method: 'POST' })).status >= 400, true)
})

test('the webhook deliveries that a message caused are listed with their answers', async () => {
  const caused = await until(
    async () =>
      (await viewer.ask(`GET ${at}/messages/${lost}/deliveries`))
        .body as AnswerOf<'listMessageDeliveries'>['body'],
    ({ data }) => data[0]?.status === 'delivered',
  )
  assert.partialDeepStrictEqual(caused.data, [
    { type: 'email.bounced', response_status: 200, attempts: 1 },
  ])
  const ofCampaign = await until(
    async () =>
      (await viewer.ask(`GET ${at}/messages/${mailTo(9)}/deliveries`))
        .body as AnswerOf<'listMessageDeliveries'>['body'],
    ({ data }) => data.length > 0,
  )
  assert.equal(ofCampaign.data[0]?.type, 'email.delivered')
})

test('sent again it is a new message with the same content and files, once for one key, and validated like any send', async () => {
  const again = (body: object, by = editor) =>
    by.ask(`POST ${at}/messages/${invoice}/send-again`, { body })
  const requested = { to: ['paul@example.net'], idempotency_key: 'once' }
  const id = textAt(await again(requested), 'id')
  assert.equal(textAt(await again(requested), 'id'), id)
  const { subject, to, files, tags, has_html } = await read(id)
  assert.deepEqual(
    { to, subject, tags, has_html },
    {
      to: ['paul@example.net'],
      subject: 'Votre facture n° FR-2048 est prête',
      tags: { order: '2048', kind: 'invoice' },
      has_html: true,
    },
  )
  assert.equal(files.length, 1)
  assertRefused(
    await again({ to: ['bounced@simulator.test'], idempotency_key: 'two' }),
    'suppressed_recipient',
  )
  assertRefused(await again({ to: ['nobody'], idempotency_key: 'three' }), 'validation_error')
  assertRefused(await again({ ...requested, idempotency_key: 'four' }, viewer), 'insufficient_role')
  const acts = await service.db.rows(
    sql`select 1 from audit_log where workspace_id = ${shop.id} and act = 'message.sent_again'`,
  )
  assert.equal(acts.length, 1)
  const ofCampaign = await editor.ask(`POST ${at}/messages/${mailTo(7)}/send-again`, {
    body: requested,
  })
  assertRefused(ofCampaign, 'not_found')
})

test('404 for a message of another workspace, by its own address and by ours', async () => {
  for (const path of ['', '/html', '/raw', '/files/0', '/deliveries']) {
    assert.equal(
      (await stranger.ask(`GET /workspaces/other/api/v1/messages/${invoice}${path}`)).status,
      404,
    )
    assert.equal(
      (await stranger.ask(`GET /workspaces/other/api/v1/messages/${mailTo(7)}${path}`)).status,
      404,
    )
    assert.equal((await stranger.ask(`GET ${at}/messages/${invoice}${path}`)).status, 404)
  }
  assertAnswered(await stranger.ask('GET /workspaces/other/api/v1/messages?recipient=lea'), 200, {
    data: [],
  })
  assertAnswered(await stranger.ask('GET /workspaces/other/api/v1/captured'), 200, { data: [] })
})

test('captured mails of the workspace are read as a mail program reads them, and lead to their message', async () => {
  const { data, captures } = (await viewer.ask(`GET ${at}/captured?limit=100`))
    .body as MemberAnswerOf<'listCapturedMails'>
  assert.equal(captures, true)
  const entry = data.find(
    ({ message, recipient }) => message === invoice && recipient === 'max@example.org',
  )
  assert.ok(entry)
  assertAnswered(await viewer.ask(`GET ${at}/captured/${entry.id}`), 200, {
    ...{
      readable: true,
      has_html: true,
      subject: 'Votre facture n° FR-2048 est prête',
      message: invoice,
    },
    files: [{ position: 0, name: 'logo.png', type: 'image/png' }],
  })
  assert.ok(data.some(({ message }) => message === mailTo(3)))
  for (const path of ['', '/html', '/raw', '/files/0']) {
    assert.equal(
      (await stranger.ask(`GET /workspaces/other/api/v1/captured/${entry.id}${path}`)).status,
      404,
    )
  }
})

test("a campaign's mail that bounced is found by that, and a refusal for now is in its timeline", async () => {
  const [bounces, waits] = ['bounced+letter@simulator.test', 'deferred+letter@simulator.test']
  const body = { firstName: 'Max', double_opt_in: false }
  for (const email of [bounces, waits])
    await ask(api.baseUrl, 'POST /api/v1/subscribers', { key: shop.key, body: { ...body, email } })
  const id = await draftOf(api, shop, { subject: 'Second letter' })
  await send(api, shop, id)
  const result = await until(
    () => list({ status: 'bounced', kind: 'campaign' }),
    ({ data }) => data.length > 0,
  )
  assert.deepEqual(
    result.data.map(({ to, subject }) => [to, subject]),
    [[[bounces], 'Second letter']],
  )
  const put = await until(
    () => list({ recipient: waits }),
    ({ data }) => data.length > 0,
  )
  const { recipients } = await until(
    () => read(put.data[0]?.id ?? ''),
    (detail) => (detail.recipients[0]?.timeline.length ?? 0) > 1,
  )
  assert.deepEqual(recipients[0]?.timeline.map(({ what }) => what).slice(0, 2), [
    'accepted',
    'deferred',
  ])
  assert.equal(recipients[0]?.timeline[1]?.answer?.text, '451 4.0.0 simulated temporary refusal')
})

test('404 for sending again a message to an erased contact', async () => {
  const alone = {
    from: 'hello@shop.test',
    to: 'alone@example.com',
    subject: 'For one',
    text: 'For one',
  }
  const id = textAt(
    await ask(api.baseUrl, 'POST /api/v1/emails', { key: shop.key, body: alone }),
    'id',
  )
  // A mail that is just leaving is not erased.
  await until(
    () => eraseContact(service, { workspaceId: shop.id, email: 'alone@example.com' }),
    ({ erased }) => erased,
  )
  const requested = { to: ['paul@example.net'], idempotency_key: 'erased' }
  assertRefused(
    await editor.ask(`POST ${at}/messages/${id}/send-again`, { body: requested }),
    'not_found',
  )
})

test('an erased contact is no longer found, and their messages stay in the list without them', async () => {
  await eraseContact(service, { workspaceId: shop.id, email: 'lea.dubois@example.com' })
  assert.deepEqual(await ids({ recipient: 'dubois' }), [])
  assert.ok((await ids({ subject: 'facture', recipient: 'max' })).includes(invoice))
  const left = await service.db.rows(
    sql`select 1 from message_search where workspace_id = ${shop.id} and addresses like '%dubois%'`,
  )
  assert.equal(left.length, 0)
})
