/** `POST /suppression`: an address receives nothing further; the stronger reason stays. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { suppressionReasons } from '../../src/contract/suppression.ts'
import { suppressAddress } from '../../src/core/suppression/suppress-address.ts'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, assertRefused, textAt } from '../support/ask.ts'

const api = await startApi()
const shop = await api.workspace('shop')

const add = (body: unknown, key = shop.key) =>
  ask(api.baseUrl, 'POST /api/v1/suppression', { key, body })

test('201: the entry, with reason manual when none is given', async () => {
  const answer = await add({ email: 'camille@example.com' })
  assertAnswered(answer, 201, {
    object: 'suppression',
    email: 'camille@example.com',
    reason: 'manual',
    scope: 'organization',
    source_id: null,
  })
  assert.deepEqual(Object.keys(Object(answer.body)).toSorted(), [
    'created_at',
    'email',
    'id',
    'object',
    'reason',
    'scope',
    'source_id',
  ])
  assert.match(textAt(answer, 'created_at'), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
})

for (const reason of suppressionReasons) {
  test(`201: reason ${reason}`, async () => {
    assertAnswered(await add({ email: `${reason}@example.com`, reason }), 201, { reason })
  })
}

test('a subscriber who came while their address was being suppressed does not stay subscribed', async () => {
  const email = 'came-meanwhile@example.com'
  const failpoints = {
    broken: () => false,
    hit: async (name: string) => {
      if (name !== 'suppress.between') return
      await api.run(`
        insert into subscriber (workspace_id, id, email, status, source, created_at, updated_at)
        values (${shop.id}, gen_random_uuid(), '${email}', 'subscribed', 'api', facteur_now(), facteur_now())`)
    },
  }
  await suppressAddress(
    { ...api.service, failpoints },
    { workspaceId: shop.id, entry: { email, reason: 'manual', sourceId: null } },
  )
  const contact = await ask(api.baseUrl, `GET /api/v1/subscribers/${email}`, { key: shop.key })
  assertAnswered(contact, 200, { status: 'unsubscribed' })
})

test('201: the address is stored in lower case, its domain as an A-label', async () => {
  assertAnswered(await add({ email: 'Ines@Bücher.Example' }), 201, {
    email: 'ines@xn--bcher-kva.example',
  })
})

test('201: an address of 320 characters is read as any other and refused for its local part only when that is too long', async () => {
  const long = `${'a'.repeat(64)}@${'d'.repeat(60)}.${'d'.repeat(60)}.${'d'.repeat(60)}.example`
  assertAnswered(await add({ email: long }), 201, { email: long })
})

test('201: twice is one entry, and the stronger reason stays: complaint, bounce, manual, unsubscribe', async () => {
  const email = 'stronger@example.com'
  const first = await add({ email, reason: 'unsubscribe' })
  for (const [reason, stored] of [
    ['manual', 'manual'],
    ['unsubscribe', 'manual'],
    ['bounce', 'bounce'],
    ['manual', 'bounce'],
    ['complaint', 'complaint'],
    ['bounce', 'complaint'],
  ]) {
    assertAnswered(await add({ email, reason }), 201, { id: textAt(first, 'id'), reason: stored })
  }
})

test('422 suppressed_recipient on the next send, in any case of the address', async () => {
  await add({ email: 'Closed@Example.com' })
  const body = { from: 'hello@shop.test', to: 'CLOSED@example.COM', subject: 's', text: 't' }
  assertRefused(
    await ask(api.baseUrl, 'POST /api/v1/emails', { key: shop.key, body }),
    'suppressed_recipient',
    {
      reason: 'manual',
    },
  )
})

test('201: pending mail to the address never leaves; mail to the other recipients does', async () => {
  const body = {
    from: 'hello@shop.test',
    to: ['waiting@example.com', 'other@example.com'],
    subject: 's',
    text: 't',
    scheduled_at: new Date(Date.now() + 3_600_000).toISOString(),
  }
  const id = textAt(await ask(api.baseUrl, 'POST /api/v1/emails', { key: shop.key, body }), 'id')
  assertAnswered(await add({ email: 'waiting@example.com', reason: 'complaint' }), 201)
  assertAnswered(await ask(api.baseUrl, `GET /api/v1/emails/${id}`, { key: shop.key }), 200, {
    status: 'failed',
    error: 'suppressed: complaint',
    recipients: [
      { email: 'waiting@example.com', status: 'failed', error: 'suppressed: complaint' },
      { email: 'other@example.com', status: 'queued', error: null },
    ],
  })
})

const refused: [situation: string, body: unknown, details: object][] = [
  ['no address', {}, { path: 'email', rule: 'required' }],
  ['an address that is a number', { email: 3 }, { path: 'email', rule: 'type' }],
  ['an empty address', { email: '' }, { path: 'email', rule: 'minLength', limit: 3 }],
  [
    'an address of 321 characters',
    { email: `${'a'.repeat(309)}@example.com` },
    { path: 'email', rule: 'maxLength', limit: 320 },
  ],
  ['no address at all', { email: 'nobody' }, { path: 'email', rule: 'address.missing_at' }],
  ['an address with a name', { email: 'Camille <camille@example.com>' }, { path: 'email' }],
  [
    'two addresses',
    { email: 'a@example.com,b@example.com' },
    { path: 'email', rule: 'address.more_than_one_address' },
  ],
  [
    'an unknown reason',
    { email: 'a@example.com', reason: 'boredom' },
    { path: 'reason', rule: 'enum', allowed: [...suppressionReasons] },
  ],
  ['a body that is a list', [], { path: '', rule: 'type' }],
  ['half a character', { email: 'a\ud83d@example.com' }, { path: 'email', rule: 'unicode' }],
]
for (const [situation, body, details] of refused) {
  test(`422 validation_error: ${situation}`, async () => {
    assertRefused(await add(body), 'validation_error', details)
  })
}

test('422 validation_error: a body of more than 256 KB', async () => {
  assertRefused(
    await add({ email: 'a@example.com', filler: 'x'.repeat(256 * 1024) }),
    'validation_error',
    { limit: 256 * 1024 },
  )
})
