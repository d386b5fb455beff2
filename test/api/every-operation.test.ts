/**
 * The rules of every operation of the table: who may call it, the answer to a stranger, and its
 * language.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errorKinds } from '../../src/contract/errors.ts'
import { exampleOf, plainSchema } from '../../src/contract/json-schema.ts'
import { rateWindowSeconds } from '../../src/contract/limits.ts'
import { operationIds, operations } from '../../src/contract/operations.ts'
import type { Operation } from '../../src/contract/operation.ts'
import { allScopes } from '../../src/contract/scopes.ts'
import { webhooksOf } from '../../src/db/webhooks/webhooks.ts'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, assertRefused, textAt, type Requested } from '../support/ask.ts'
import { at } from '../support/json.ts'

const api = await startApi()
const shop = await api.workspace('shop')
const other = await api.workspace('other')
const revoked = await shop.makeKey(allScopes)
await shop.revokeKey(revoked)
const unknown = api.unknownKey(shop)

/** A message of the workspace that can still be read, moved and cancelled. */
const schedule = async (): Promise<string> => {
  const body = {
    from: 'hello@shop.test',
    to: 'a@example.com',
    subject: 's',
    text: 't',
    scheduled_at: new Date(Date.now() + 3_600_000).toISOString(),
  }
  return textAt(await ask(api.baseUrl, 'POST /api/v1/emails', { key: shop.key, body }), 'id')
}

const all = operationIds
  .map((id): [string, Operation] => [id, operations[id]])
  .filter(([, { entry }]) => entry === 'api')
const keyed = all.filter(([, { scope }]) => scope !== 'none')

/** A campaign of the workspace that waits to be sent. */
const draft = async (): Promise<string> => {
  const body = { name: 'n', subject: 's', text: 't' }
  return textAt(await ask(api.baseUrl, 'POST /api/v1/campaigns', { key: shop.key, body }), 'id')
}

/** A subscriber of the workspace. */
const subscriber = 'somebody@example.com'
assertAnswered(
  await ask(api.baseUrl, 'POST /api/v1/subscribers', {
    key: shop.key,
    body: { email: subscriber, double_opt_in: false },
  }),
  201,
)

/** A captured mail of the workspace. */
const captured = async (): Promise<string> => {
  await ask(api.baseUrl, 'POST /api/v1/emails', {
    key: shop.key,
    body: { from: 'hello@shop.test', to: 'a@example.com', subject: 's', text: 't' },
  })
  const list = await ask(api.baseUrl, 'GET /api/v1/captured?wait=30', { key: shop.key })
  return textAt(list, 'data', '0', 'id')
}

async function broughtFile(): Promise<string> {
  const body = { csv: 'email\nfile@example.com\n', double_opt_in: true }
  const line = 'POST /api/v1/subscribers/imports'
  return textAt(await ask(api.baseUrl, line, { key: shop.key, body }), 'id')
}

let created = { id: '', deliveryId: '' }

/**
 * A webhook of the workspace whose URL never answers, and an entry of its journal; another once
 * that one was deleted.
 */
const webhook = async (): Promise<{ id: string; deliveryId: string }> => {
  if ((await webhooksOf(api.service.db, shop.id)).some(({ id }) => id === created.id))
    return created
  const body = { url: 'http://127.0.0.1:1/', events: ['email.sent'] }
  const id = textAt(await ask(api.baseUrl, 'POST /api/v1/webhooks', { key: shop.key, body }), 'id')
  const tested = await ask(api.baseUrl, `POST /api/v1/webhooks/${id}/test`, { key: shop.key })
  created = { id, deliveryId: textAt(tested, 'delivery_id') }
  return created
}

/** The path to an object of the workspace that exists. */
async function fill(path: string): Promise<string> {
  if (path.includes('/webhooks/{id}')) {
    const { id, deliveryId } = await webhook()
    return path.replace('{id}', id).replace('{deliveryId}', deliveryId)
  }
  if (path.includes('/erase')) {
    const body = { email: 'leaving@example.com', double_opt_in: false }
    await ask(api.baseUrl, 'POST /api/v1/subscribers', { key: shop.key, body })
    return path.replace('{email}', body.email)
  }
  const makeOne = path.includes('/campaigns/')
    ? draft
    : path.includes('/captured/')
      ? captured
      : path.includes('/imports/')
        ? broughtFile
        : schedule
  return path
    .replace('{email}', subscriber)
    .replace('{name}', shop.domain)
    .replace('{id}', path.includes('{id}') ? await makeOne() : '')
}

/** The path to an unknown object. */
const fillAbsent = (path: string): string =>
  path
    .replace('{email}', 'nobody@example.com')
    .replace('{name}', 'nobody.test')
    .replaceAll(
      /\{(?:id|deliveryId)\}/g,
      // A captured mail of another week has expired, which the answer says.
      path.includes('/captured/') ? api.service.makeId() : '019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e40',
    )

/** A call that would pass with a good key: the contract's own example, for objects that exist. */
async function call(
  { method, path, body }: Operation,
  request: Requested,
): Promise<ReturnType<typeof ask>> {
  return ask(api.baseUrl, `${method} ${await fill(path)}`, {
    ...(body && { body: exampleOf(plainSchema(body)) }),
    ...request,
  })
}

for (const [id, operation] of keyed) {
  test(`${id}: 401 missing_api_key without a key`, async () => {
    // Strangers are counted by address, and all of this file's come from one.
    await api.run('delete from public.request_rate where workspace_id = 0')
    assertRefused(await call(operation, {}), 'missing_api_key')
  })

  test(`${id}: 401 invalid_api_key for an unknown key, a damaged one, and something that is none`, async () => {
    const last = shop.key.at(-1) === '0' ? '1' : '0'
    for (const key of [
      unknown,
      shop.key.slice(0, -1),
      `${shop.key.slice(0, -1)}${last}`,
      `${shop.key}x`,
      'nonsense',
      shop.key.toUpperCase(),
    ]) {
      assertRefused(await call(operation, { key }), 'invalid_api_key')
      assertRefused(await call(operation, { headers: { 'x-api-key': key } }), 'invalid_api_key')
    }
    assertRefused(
      await call(operation, { headers: { authorization: `Basic ${shop.key}` } }),
      'invalid_api_key',
    )
  })

  test(`${id}: 401 revoked_api_key for a revoked key`, async () => {
    assertRefused(await call(operation, { key: revoked }), 'revoked_api_key')
  })

  test(`${id}: ${operation.answer.status} with the key in either header, or the same in both`, async () => {
    for (const headers of [
      { authorization: `Bearer ${shop.key}` },
      { authorization: `bearer ${shop.key}` },
      { 'x-api-key': shop.key },
      { authorization: `Bearer ${shop.key}`, 'x-api-key': shop.key },
    ]) {
      const answer = await call(operation, { headers })
      assert.notEqual(answer.status, 401, JSON.stringify(answer.body))
      assert.notEqual(answer.status, 403, JSON.stringify(answer.body))
    }
  })

  test(`${id}: 401 invalid_api_key with two keys that differ, good as each of them is`, async () => {
    assertRefused(
      await call(operation, { key: shop.key, headers: { 'x-api-key': other.key } }),
      'invalid_api_key',
    )
  })

  if (operation.scope !== null && operation.scope !== 'none') {
    const { scope, method, path, body } = operation
    test(`${id}: 403 insufficient_scope for a key with every permission but ${scope}`, async () => {
      const key = await shop.makeKey(allScopes.filter((known) => known !== scope))
      assertRefused(await call(operation, { key }), 'insufficient_scope', { required: scope })
      const absent = await ask(api.baseUrl, `${method} ${path.replace(/\{\w+\}/, 'x')}`, {
        key,
        ...(body && { raw: '{' }),
      })
      assertRefused(absent, 'insufficient_scope', { required: scope })
    })

    test(`${id}: passes with ${scope} alone`, async () => {
      const answer = await call(operation, { key: await shop.makeKey([scope]) })
      // The state of a new draft, or the example itself, may be what is refused.
      assert.ok(
        answer.status < 300 || [409, 422].includes(answer.status),
        JSON.stringify(answer.body),
      )
    })
  }

  test(`${id}: the text of a refusal is French, and English on request; the code is the same`, async () => {
    const { fr, en } = errorKinds.missing_api_key
    for (const [accepted, text] of [
      ['', fr],
      ['de', fr],
      ['fr-CA', fr],
      ['en', en],
      ['en-GB,en;q=0.9', en],
      ['fr;q=0.5, en;q=0.8', en],
      ['en;q=0.1, fr', fr],
      ['*', fr],
      ['en;q=nonsense', undefined],
    ] as const) {
      const answer = await call(operation, {
        headers: accepted === '' ? {} : { 'accept-language': accepted },
      })
      assertRefused(answer, 'missing_api_key')
      if (text !== undefined) assert.equal(textAt(answer, 'message'), text, accepted)
    }
  })

  if (operation.path.includes('{')) {
    test(`${id}: 404 not_found for an object of another workspace, word for word as for an unknown one`, async () => {
      const refusal = await call(operation, { key: other.key })
      assertRefused(refusal, 'not_found')
      const { method, path, body } = operation
      const nobodys = await ask(api.baseUrl, `${method} ${fillAbsent(path)}`, {
        key: other.key,
        ...(body && { body: exampleOf(plainSchema(body)) }),
      })
      assert.deepEqual(
        Object.keys(Object(Object(refusal.body).error.details)),
        Object.keys(Object(Object(nobodys.body).error.details)),
      )
    })
  }
}

for (const [id, operation] of all) {
  test(`${id}: 429 rate_limit_exceeded over the limit, with Retry-After and nothing left`, async () => {
    const slow = await api.workspace(`slow-${id.toLowerCase()}`, { ratePerMinute: 2 })
    if (operation.scope === 'none') return
    const rates = []
    const beganAt = Date.now() / 1000
    for (let n = 0; n < 2; n++) {
      const { status, headers } = await ask(api.baseUrl, 'GET /api/v1/me', { key: slow.key })
      assert.equal(status, 200)
      rates.push([headers.get('x-ratelimit-limit'), headers.get('x-ratelimit-remaining')])
    }
    assert.deepEqual(rates, [
      ['2', '1'],
      ['2', '0'],
    ])
    const answer = await call(operation, { key: slow.key })
    assertRefused(answer, 'rate_limit_exceeded')
    assert.equal(answer.headers.get('x-ratelimit-remaining'), '0')
    const seconds = Number(answer.headers.get('retry-after'))
    assert.ok(seconds >= 1 && seconds <= 60, `Retry-After: ${seconds}`)
    const reset = Number(answer.headers.get('x-ratelimit-reset'))
    // A full minute after one of these requests, rounded up.
    const latest = Math.ceil(Date.now() / 1000) + rateWindowSeconds
    assert.ok(
      reset >= beganAt && reset <= latest,
      `X-RateLimit-Reset: ${reset}, between ${beganAt} and ${latest}`,
    )
  })

  test(`${id}: each answer has its own X-Request-Id`, async () => {
    const ids = [await call(operation, { key: shop.key }), await call(operation, {})].map(
      ({ headers }) => headers.get('x-request-id'),
    )
    assert.notEqual(ids[0], ids[1])
  })
}

/**
 * A call of every operation that writes without an identifier: what it writes names the domain of
 * its workspace.
 */
const marked: Record<string, (mark: string) => unknown> = {
  createWebhook: (name) => ({ name, url: 'http://127.0.0.1:1/', events: ['subscriber.created'] }),
  addDomain: (mark) => ({ name: `news.${mark}` }),
  addSubscriber: (mark) => ({ email: `first@${mark}`, double_opt_in: false }),
  addSubscriberBatch: (mark) => [{ email: `batch@${mark}`, double_opt_in: false }],
  createSubscriberImport: (mark) => ({
    ...{ csv: `email\nfile@${mark}\n`, double_opt_in: false, consent: 'By hand', name: mark },
  }),
  addSuppression: (mark) => ({ email: `second@${mark}` }),
  createCampaign: (mark) => ({ name: mark, subject: 's', text: 't' }),
  sendEmail: (mark) => ({ from: `hello@${mark}`, to: 'a@example.com', subject: 's', text: 't' }),
  sendEmailBatch: (mark) => [
    { from: `hello@${mark}`, to: 'a@example.com', subject: 's', text: 't' },
  ],
}

test('every operation that writes without an identifier: its object is in no answer to another workspace', async () => {
  const [first, second] = [await api.workspace('first'), await api.workspace('second')]
  // Figures name nothing: `get-stats.test.ts` counts those of two workspaces.
  const unnamed = keyed.filter(([id, { path }]) => !path.includes('{') && id !== 'getStats')
  const written = unnamed
    .filter(([, { method }]) => method !== 'GET' && method !== 'DELETE')
    .map(([id]) => id)
  assert.deepEqual(
    Object.keys(marked).toSorted(),
    written.toSorted(),
    'add to `marked` what the operation takes',
  )
  for (const [id, body] of Object.entries(marked)) {
    const { method, path } = operations[id as keyof typeof operations]
    const { status } = await ask(api.baseUrl, `${method} ${path}`, {
      key: first.key,
      body: body(first.domain),
      headers: { 'x-request-id': first.domain },
    })
    assert.ok(status < 300, `${id}: ${status}`)
  }
  await ask(api.baseUrl, 'GET /api/v1/captured?wait=30', { key: first.key })
  await api.service.requestLog.flush()
  for (const [id, { path }] of unnamed.filter(([, { method }]) => method === 'GET')) {
    const [own, foreign] = await Promise.all(
      [first, second].map(async ({ key }) =>
        JSON.stringify((await ask(api.baseUrl, `GET ${path}`, { key })).body),
      ),
    )
    assert.ok(own?.includes(first.domain), `${id}: add to \`marked\` what it lists`)
    assert.ok(!foreign?.includes(first.domain), id)
  }
})

test('429 rate_limit_exceeded limits one key: another key of the workspace still passes', async () => {
  const slow = await api.workspace('two-keys', { ratePerMinute: 1 })
  assertAnswered(await ask(api.baseUrl, 'GET /api/v1/me', { key: slow.key }), 200)
  assertRefused(await ask(api.baseUrl, 'GET /api/v1/me', { key: slow.key }), 'rate_limit_exceeded')
  assertAnswered(
    await ask(api.baseUrl, 'GET /api/v1/me', { key: await slow.makeKey(['emails:send']) }),
    200,
  )
})

test('429 rate_limit_exceeded: refused calls do not count', async () => {
  const slow = await api.workspace('not-counted', { ratePerMinute: 1 })
  assertAnswered(await ask(api.baseUrl, 'GET /api/v1/me', { key: slow.key }), 200)
  for (let n = 0; n < 5; n++)
    assertRefused(
      await ask(api.baseUrl, 'GET /api/v1/me', { key: slow.key }),
      'rate_limit_exceeded',
    )
  await api.moveClock('62 seconds')
  assertAnswered(await ask(api.baseUrl, 'GET /api/v1/me', { key: slow.key }), 200)
})

test('a burst of 30 at a limit of 20 lets exactly 20 through', async () => {
  const burst = await api.workspace('burst', { ratePerMinute: 20 })
  const answers = await Promise.all(
    Array.from({ length: 30 }, () => ask(api.baseUrl, 'GET /api/v1/me', { key: burst.key })),
  )
  assert.equal(answers.filter(({ status }) => status === 200).length, 20)
})

test('401 revoked_api_key: an expired key: that it expired, and when, in both languages', async () => {
  const expiresAt = new Date(Date.now() - 1000)
  const key = await shop.makeKey(['emails:send'], { expiresAt })
  for (const [language, text] of [
    ['en', /^This API key expired on \w+ \d+, \d{4}: /],
    ['fr', /^Cette clé API a expiré le \d+\S* \S+ \d{4}\s: /],
  ] as const) {
    const answer = await ask(api.baseUrl, 'GET /api/v1/me', {
      key,
      headers: { 'accept-language': language },
    })
    assertRefused(answer, 'revoked_api_key', {
      reason: 'expired',
      expired_at: expiresAt.toISOString(),
    })
    assert.match(String(at(answer.body, 'message')), text)
    assert.match(
      answer.headers.get('www-authenticate') ?? '',
      /^Bearer .*error="invalid_token".*expired/,
    )
  }
})
