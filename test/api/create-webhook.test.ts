/**
 * POST /api/v1/webhooks: a subscription with its secret, validated before anything is called (spec:
 * Webhook subscription; semantics 4).
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, assertRefused, textAt } from '../support/ask.ts'
import { keysAt } from '../support/json.ts'

const api = await startApi()
const shop = await api.workspace('shop')
const create = (body: object, key = shop.key) =>
  ask(api.baseUrl, 'POST /api/v1/webhooks', { key, body })
const good = { url: 'https://shop.example/hook', events: ['email.delivered'] }

test('201: every field, enabled, named after its host, with a secret of 32 bytes', async () => {
  const answer = await create({
    ...good,
    url: 'https://shop.example:8443/hook?x=1#part',
    unknown: 1,
  })
  assert.deepEqual(
    keysAt(answer.body).toSorted(),
    [
      'object',
      'id',
      'name',
      'url',
      'endpoint',
      'events',
      'enabled',
      'status',
      'secret',
      'signing_secret',
      'created_at',
      'updated_at',
    ].toSorted(),
  )
  const url = 'https://shop.example:8443/hook?x=1'
  assertAnswered(answer, 201, {
    object: 'webhook',
    name: 'shop.example:8443',
    url,
    events: good.events,
    enabled: true,
  })
  const [, encoded = ''] = /^whsec_(.+)$/.exec(textAt(answer, 'secret')) ?? []
  assert.equal(Buffer.from(encoded, 'base64').length, 32)
  assert.match(textAt(answer, 'created_at'), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
})

test('201: the spellings of Resend, also beside ours with the same value; 422 when they differ', async () => {
  const { url, events } = good
  const answer = await create({ endpoint: url, status: 'disabled', events })
  const secret = textAt(answer, 'secret')
  const both = { url, endpoint: url, enabled: false, status: 'disabled' }
  assertAnswered(answer, 201, { ...both, signing_secret: secret })
  assertAnswered(await create({ ...both, events }), 201, both)
  for (const [body, path] of [
    [{ ...good, endpoint: `${url}s` }, 'endpoint'],
    [{ ...good, enabled: true, status: 'disabled' }, 'status'],
  ] as const)
    assertRefused(await create(body), 'validation_error', { path, rule: 'alias_differs' })
  assertRefused(await create({ events }), 'validation_error', { path: 'url', rule: 'required' })
  assertRefused(await create({ endpoint: 'https://10.0.0.1/', events }), 'validation_error', {
    path: 'endpoint',
    rule: 'url.address',
  })
})

test('201: a name, disabled at first, each type once in the order given', async () => {
  const body = {
    ...good,
    name: 'x'.repeat(80),
    enabled: false,
    events: ['email.sent', 'email.bounced', 'email.sent'],
  }
  assertAnswered(await create(body), 201, {
    name: body.name,
    enabled: false,
    events: ['email.sent', 'email.bounced'],
  })
})

for (const [title, body, details] of [
  ['no url', { events: ['email.sent'] }, { path: 'url', rule: 'required' }],
  ['no events', { url: good.url }, { path: 'events', rule: 'required' }],
  ['an empty list of events', { ...good, events: [] }, { path: 'events', rule: 'minItems' }],
  [
    'a type that nobody knows',
    { ...good, events: ['email.read'] },
    { path: 'events.0', rule: 'enum' },
  ],
  [
    '81 characters of name',
    { ...good, name: 'x'.repeat(81) },
    { path: 'name', rule: 'maxLength', limit: 80 },
  ],
  [
    'a control character in the name',
    { ...good, name: 'a\nb' },
    { path: 'name', rule: 'control_character' },
  ],
  ['a URL that is none', { ...good, url: 'shop.example' }, { path: 'url', rule: 'uri' }],
  [
    'a URL of 2,049 characters',
    { ...good, url: good.url.padEnd(2_049, 'x') },
    { path: 'url', rule: 'maxLength', limit: 2_048 },
  ],
  ['another scheme', { ...good, url: 'javascript:alert(1)' }, { path: 'url' }],
] as const) {
  test(`422 validation_error: ${title}`, async () =>
    assertRefused(await create(body), 'validation_error', details))
}

for (const [type, way] of [
  ['contact.deleted', /`contact\.updated`/],
  ['contact.topics.updated', /`GET \/subscribers\/\{email\}`/],
  ['domain.updated', /`GET \/domains`/],
  ['email.received', /bounce|rebond/],
  ['inbox.draft.sent', /bounce|rebond/],
  ['suppression.added', /`suppression\.created`/],
  ['suppression.removed', /audit/],
  ['topic.created', /`GET \/subscribers\/\{email\}`/],
] as const)
  test(`422 validation_error: ${type}, a type of Resend; the message says our way`, async () => {
    const answer = await create({ ...good, events: ['email.sent', type] })
    assertRefused(answer, 'validation_error', { path: 'events.1', rule: 'enum' })
    assert.match(textAt(answer, 'error', 'message'), way)
  })

test('422 validation_error: a twenty-first webhook, also of two that come together', async () => {
  const full = await api.workspace('full')
  const answers = await Promise.all(Array.from({ length: 24 }, () => create(good, full.key)))
  assert.equal(answers.filter(({ status }) => status === 201).length, 20)
  const refused = answers.find(({ status }) => status !== 201)
  assert.ok(refused)
  assertRefused(refused, 'validation_error', { rule: 'webhooks', limit: 20 })
})
