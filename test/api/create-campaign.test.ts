/** POST /api/v1/campaigns: a draft, validated whole (spec: Campaign; semantics 4). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { upsertSender } from '../../src/db/workspaces/senders.ts'
import { startApi } from '../support/api.ts'
import {
  ask,
  assertAnswered,
  assertRefused,
  textAt,
  type Answer,
  type Requested,
} from '../support/ask.ts'
import { at } from '../support/json.ts'

const api = await startApi()
const shop = await api.workspace('shop')
const other = await api.workspace('other')
await shop.addDomain('second.test')
await shop.addDomain('pending.test', { verified: false })
await upsertSender(api.service.db, shop.id, {
  id: api.service.makeId(),
  name: 'News',
  email: 'News@second.test',
})
await upsertSender(api.service.db, shop.id, {
  id: api.service.makeId(),
  name: null,
  email: 'me@pending.test',
})

const written = { name: 'November', subject: 'What is new', text: '# Hello\n\nNew things.' }
const create = (body: object, request: Requested = { key: shop.key }): Promise<Answer> =>
  ask(api.baseUrl, 'POST /api/v1/campaigns', { body: { ...written, ...body }, ...request })
const read = async (id: string): Promise<Answer> =>
  ask(api.baseUrl, `GET /api/v1/campaigns/${id}`, { key: shop.key })
const without = (name: keyof typeof written): object => ({ ...written, [name]: undefined })

test('201: the draft as specified and no more, and nothing is sent', async () => {
  const answer = await create({})
  assertAnswered(answer, 201, { object: 'campaign', name: 'November', status: 'draft' })
  assert.deepEqual(Object.keys(Object(answer.body)).toSorted(), ['id', 'name', 'object', 'status'])
  assertAnswered(await read(textAt(answer, 'id')), 200, {
    ...{ name: 'November', subject: 'What is new', preheader: null, status: 'draft', kind: 'text' },
    ...{ from: 'hello@shop.test', fromName: null, fromEmail: 'hello@shop.test' },
    ...{
      recipients: 0,
      queued: 0,
      sentAt: null,
      scheduledAt: null,
      completedAt: null,
      paused: false,
    },
  })
  assert.equal(await shop.messages(), 0)
})

test('201: blocks and html are kinds of their own', async () => {
  const blocks = await create({ text: null, content: [{ type: 'paragraph', text: 'Hello' }] })
  assertAnswered(await read(textAt(blocks, 'id')), 200, { kind: 'content' })
  const html = await create({ text: '', html: '<p>Hello</p>' })
  assertAnswered(await read(textAt(html, 'id')), 200, { kind: 'html' })
})

test('201: from a sender by its address in any case, under its own name or the one that is given', async () => {
  const own = await create({ from: 'news@SECOND.test' })
  assertAnswered(await read(textAt(own, 'id')), 200, {
    ...{ from: 'News <News@second.test>', fromName: 'News', fromEmail: 'News@second.test' },
  })
  const named = await create({ from: '"Shop, Paris" <news@second.test>' })
  assertAnswered(await read(textAt(named, 'id')), 200, {
    fromName: 'Shop, Paris',
    from: '"Shop, Paris" <News@second.test>',
  })
})

test('201: unknown keys are ignored, and lengths up to their limits taken, in code points', async () => {
  assertAnswered(
    await create({
      name: '😀'.repeat(120),
      subject: 's'.repeat(998),
      preheader: 'p'.repeat(255),
      colour: 'red',
    }),
    201,
    { name: '😀'.repeat(120) },
  )
})

test('201: a body of five megabytes is read, and limited by its characters', async () => {
  const answer = await create({ text: null, padding: 'x'.repeat(5_000_000), html: '<p>Hello</p>' })
  assertAnswered(answer, 201)
  assertRefused(await create({ padding: 'x'.repeat(6_400_000) }), 'validation_error', {
    limit: 6 * 1024 * 1024,
  })
})

test('201: a workspace without a sender stores a draft that waits for one', async () => {
  const bare = await api.workspace('bare')
  await api.run(`delete from sender where workspace_id = ${bare.id}`)
  const answer = await create({}, { key: bare.key })
  assertAnswered(answer, 201)
  assertAnswered(
    await ask(api.baseUrl, `GET /api/v1/campaigns/${textAt(answer, 'id')}`, { key: bare.key }),
    200,
    {
      ...{ from: null, fromName: null, fromEmail: null },
    },
  )
})

test('201: a new campaign tracks opens and clicks as its workspace does', async () => {
  const shy = await api.workspace('shy')
  await api.run(
    `update workspace set track_opens = false, track_clicks = true where id = ${shy.id}`,
  )
  await create({}, { key: shy.key })
  const [row] = await api.service.db.rows({
    ...{
      name: 'test-follows',
      text: 'select track_opens, track_clicks from campaign where workspace_id = $1',
      values: [shy.id],
    },
  })
  assert.deepEqual(row, { trackOpens: false, trackClicks: true })
})

test('201: addresses for replies and what is tracked, in either spelling, are read back', async () => {
  for (const body of [
    { reply_to: 'Help <help@shop.test>', track_opens: false, track_clicks: true },
    { replyTo: ['Help <help@shop.test>'], trackOpens: false, trackClicks: true },
    { reply_to: 'Help <help@shop.test>', replyTo: ['Help <help@shop.test>'], track_opens: false },
  ])
    assertAnswered(await read(textAt(await create(body), 'id')), 200, {
      ...{ reply_to: ['Help <help@shop.test>'], track_opens: false, track_clicks: true },
    })
  const many = Array.from({ length: 11 }, (_, n) => `help${n}@shop.test`)
  assertAnswered(await create({ reply_to: many.slice(1) }), 201)
  assertRefused(await create({ reply_to: many }), 'validation_error', { path: 'reply_to' })
  assertAnswered(await read(textAt(await create({ reply_to: null }), 'id')), 200, {
    reply_to: [],
  })
})

const refused: [situation: string, body: object, details: object][] = [
  ['without a name', without('name'), { path: 'name', rule: 'required' }],
  ['without a subject', without('subject'), { path: 'subject', rule: 'required' }],
  ['an empty name', { name: '' }, { path: 'name', rule: 'minLength' }],
  [
    'a name of 121 characters',
    { name: 'n'.repeat(121) },
    { path: 'name', rule: 'maxLength', limit: 120 },
  ],
  [
    'a subject of 999 characters',
    { subject: 's'.repeat(999) },
    { path: 'subject', rule: 'maxLength', limit: 998 },
  ],
  [
    'a preheader of 256 characters',
    { preheader: 'p'.repeat(256) },
    { path: 'preheader', rule: 'maxLength', limit: 255 },
  ],
  ['a line feed in the name', { name: 'a\nb' }, { path: 'name', rule: 'control_character' }],
  [
    'a line feed in the subject',
    { subject: 'a\r\nBcc: x@y.test' },
    { path: 'subject', rule: 'control_character' },
  ],
  [
    'a line feed in the preheader',
    { preheader: 'a\nb' },
    { path: 'preheader', rule: 'control_character' },
  ],
  ['no content', without('text'), { path: 'text', rule: 'one_content' }],
  ['an empty content', { text: '' }, { path: 'text', rule: 'one_content' }],
  ['text and html', { html: '<p>x</p>' }, { rule: 'one_content' }],
  ['text and content', { content: [{ type: 'divider' }] }, { rule: 'one_content' }],
  [
    'a text beyond 400,000 characters',
    { text: 'x'.repeat(400_001) },
    { path: 'text', rule: 'maxLength', limit: 400_000 },
  ],
  ['a content that is no list', { text: null, content: 'x' }, { path: 'content', rule: 'type' }],
  [
    'a block of an unknown type, named by its index',
    { text: null, content: [{ type: 'divider' }, { type: 'video' }] },
    { path: 'content.1.type', rule: 'enum', index: 1 },
  ],
  [
    'a merge tag that computes',
    { subject: '{{firstName.toUpperCase()}}' },
    { path: 'subject', rule: 'merge_tag' },
  ],
  [
    'U+202E in the subject',
    { subject: 'a\u202eb' },
    { path: 'subject', rule: 'misleading_character', found: 'U+202E' },
  ],
  [
    'U+2066 in the name',
    { name: 'a\u2066b' },
    { path: 'name', rule: 'misleading_character', found: 'U+2066' },
  ],
  [
    'U+202D in the preheader',
    { preheader: 'a\u202db' },
    { path: 'preheader', rule: 'misleading_character', found: 'U+202D' },
  ],
  [
    'U+202E in the label of a button',
    { text: null, content: [{ type: 'button', label: 'a\u202eb', url: 'https://example.com' }] },
    { path: 'content.0.label', rule: 'misleading_character', index: 0 },
  ],
  [
    'syntax of Mailchimp',
    { subject: 'Hi *|FNAME|*' },
    { path: 'subject', rule: 'template_syntax', allowed: ['{{firstName}}'] },
  ],
  [
    'syntax of Liquid in a block',
    { text: null, content: [{ type: 'paragraph', text: 'a {% if city %}b{% endif %}' }] },
    { path: 'content.0.text', rule: 'template_syntax', value: '{% if city %}', index: 0 },
  ],
  [
    'syntax of Go in HTML',
    { text: null, html: '<p>Hi {{ .Subscriber.FirstName }}</p>' },
    {
      path: 'html',
      rule: 'template_syntax',
      value: '{{ .Subscriber.FirstName }}',
      allowed: ['{{firstName}}'],
    },
  ],
  [
    'three braces',
    { text: '{{{EMAIL|you}}}' },
    { path: 'text', rule: 'template_syntax', allowed: ['{{email | default: "you"}}'] },
  ],
  ['an answer to no address', { reply_to: 'help' }, { path: 'replyTo' }],
  [
    'two spellings that differ',
    { reply_to: 'a@shop.test', replyTo: ['b@shop.test'] },
    { path: 'reply_to', rule: 'alias_differs' },
  ],
  [
    'tracking in two ways',
    { track_opens: true, trackOpens: false },
    { path: 'track_opens', rule: 'alias_differs' },
  ],
  ['tracking that is no yes or no', { track_clicks: 'yes' }, { path: 'track_clicks' }],
  [
    'a time',
    { scheduled_at: '2026-12-24T08:00:00Z' },
    { path: 'scheduled_at', rule: 'not_supported' },
  ],
  [
    'a time in the words of Sendy',
    { schedule_date_time: 'June 15, 2026 6:05pm' },
    { path: 'schedule_date_time', rule: 'not_supported' },
  ],
  ['groups, as of MailerLite', { groups: ['1'] }, { path: 'groups', rule: 'not_supported' }],
  [
    'a filter, as of Kit',
    { subscriber_filter: [{ all: [] }] },
    { path: 'subscriber_filter', rule: 'not_supported' },
  ],
  ['a segment', { segment_id: 'x' }, { path: 'segment_id', rule: 'not_supported' }],
  ['a repetition', { recurring: true }, { path: 'recurring', rule: 'not_supported' }],
  ['a sender that is no address', { from: 'nobody' }, { path: 'from', rule: 'address.missing_at' }],
  ['two senders', { from: 'a@shop.test, b@shop.test' }, { path: 'from' }],
]
for (const [situation, body, details] of refused) {
  test(`422 validation_error: ${situation}`, async () => {
    assertRefused(await create(body), 'validation_error', details)
  })
}

test('201: keys of other services without a value, unknown keys, and other syntax that is written literally', async () => {
  const text = `{{ '*|FNAME|*' }} {{ "{% if x %}" }} {{ '{{{X}}}' }} [Name] 100%} *|`
  const answer = await create({
    text,
    scheduled_at: null,
    segment_id: null,
    utm: 'x',
    folder: 1,
  })
  assertAnswered(answer, 201, { status: 'draft' })
})

for (const [situation, from] of [
  ['of nobody here', 'a@elsewhere.example'],
  ['of another workspace', 'hello@other.test'],
  ['that is not verified yet, although its sender is registered', 'me@pending.test'],
  ['that is below a verified one', 'a@mail.shop.test'],
]) {
  test(`422 unverified_from_domain: a domain ${situation}; details name the verified ones`, async () => {
    const verifiedDomains = ['second.test', 'shop.test']
    const answer = await create({ from })
    assertRefused(answer, 'unverified_from_domain', { from })
    const reported = at(answer.body, 'error', 'details', 'verifiedDomains')
    assert.ok(Array.isArray(reported))
    assert.deepEqual(reported.toSorted(), verifiedDomains)
  })
}

test('422 unverified_from_domain: the default sender, whose domain was taken away', async () => {
  const moved = await api.workspace('moved')
  await api.run(`update domain set status = 'pending' where workspace_id = ${moved.id}`)
  assertRefused(await create({}, { key: moved.key }), 'unverified_from_domain', {
    from: 'hello@moved.test',
    verifiedDomains: [],
  })
})

test('404 not_found: an address on a verified domain that is no sender of the workspace', async () => {
  assertRefused(await create({ from: 'stranger@shop.test' }), 'not_found', {
    from: 'stranger@shop.test',
  })
})

test('422 before 404 and content before sender: the first check answers first', async () => {
  assertRefused(await create({ from: 'stranger@elsewhere.example' }), 'unverified_from_domain')
  assertRefused(
    await create({ text: '', from: 'stranger@elsewhere.example' }),
    'validation_error',
    { rule: 'one_content' },
  )
})

test('a draft of one workspace is not found in another', async () => {
  const id = textAt(await create({}), 'id')
  assertRefused(
    await ask(api.baseUrl, `GET /api/v1/campaigns/${id}`, { key: other.key }),
    'not_found',
    { id },
  )
})
