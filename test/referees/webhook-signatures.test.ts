/**
 * Signatures verified by code that others wrote: stripe's SDK, Standard Webhooks', Svix's, and
 * Python's hmac; also while a secret is changed.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import Stripe from 'stripe'
import { Webhook as SvixWebhook } from 'svix'
import { startApi } from '../support/api.ts'
import { ask, textAt } from '../support/ask.ts'
import { startReceiver, type ReceivedCall } from '../support/webhook-receiver.ts'

const api = await startApi()
const receiver = await startReceiver()
const shop = await api.workspace('signed')
const created = await ask(api.baseUrl, 'POST /api/v1/webhooks', {
  key: shop.key,
  body: { url: receiver.url, events: ['email.delivered'] },
})
const [id, secret] = [textAt(created, 'id'), textAt(created, 'secret')]
const stripe = new Stripe('sk_test_none')

async function testCall(): Promise<ReceivedCall> {
  const before = receiver.calls.length
  await ask(api.baseUrl, `POST /api/v1/webhooks/${id}/test`, { key: shop.key })
  const call = (await receiver.received(before + 1)).at(-1)
  assert.ok(call)
  return call
}

const header = (call: ReceivedCall, name: string): string => String(call.headers[name])
const byStripe = (call: ReceivedCall, key: string, at?: number): unknown =>
  stripe.webhooks.constructEvent(
    call.body,
    header(call, 'service-signature'),
    key,
    300,
    undefined,
    at,
  )
const headersOf = (call: ReceivedCall, scheme: 'webhook' | 'svix'): Record<string, string> =>
  Object.fromEntries(
    ['id', 'timestamp', 'signature'].map((part) => [
      `${scheme}-${part}`,
      header(call, `${scheme}-${part}`),
    ]),
  )
const byStandard = (call: ReceivedCall, key: string): unknown =>
  new Webhook(key).verify(call.body, headersOf(call, 'webhook'))
const bySvix = (call: ReceivedCall, key: string): void =>
  new SvixWebhook(key).verify(call.body, headersOf(call, 'svix'))

/** As the guide shows it. */
const python = `
import hashlib, hmac, sys, time
secret, header, body, now = sys.argv[1:5]
fields = [part.split("=", 1) for part in header.split(",")]
t = dict(fields)["t"]
good = hmac.new(secret.encode(), f"{t}.{body}".encode(), hashlib.sha256).hexdigest()
fits = any(hmac.compare_digest(good, value) for name, value in fields if name == "v1")
print("accepted" if fits and abs(int(now) - int(t)) <= 300 else "refused")
`
const byPython = (call: ReceivedCall, key: string, at = Math.floor(Date.now() / 1000)): string =>
  execFileSync('python3', [
    '-c',
    python,
    key,
    header(call, 'service-signature'),
    call.body,
    String(at),
  ])
    .toString()
    .trim()

const call = await testCall()
const tampered = { ...call, body: call.body.replace('true', 'null') }
const later = Math.floor(Date.now() / 1000) + 301

test('stripe’s helper accepts Service-Signature; a tampered body, an old t and a wrong secret it refuses', () => {
  assert.deepEqual(byStripe(call, secret), JSON.parse(call.body))
  assert.throws(() => byStripe(tampered, secret), /signature/i)
  assert.throws(() => byStripe(call, secret, later * 1000), /tolerance/i)
  assert.throws(() => byStripe(call, `${secret}x`), /signature/i)
})

for (const [library, scheme, verify] of [
  ['Standard Webhooks’', 'webhook', byStandard],
  ['Svix’s', 'svix', bySvix],
] as const)
  test(`${library} library accepts the ${scheme}- headers; a tampered body, an old t, another id and a wrong secret it refuses`, () => {
    verify(call, secret)
    assert.throws(() => verify(tampered, secret))
    const changed = (part: string, value: string): ReceivedCall => ({
      ...call,
      headers: { ...call.headers, [`${scheme}-${part}`]: value },
    })
    assert.throws(() => verify(changed('timestamp', String(later - 700)), secret))
    assert.throws(() => verify(changed('id', 'evt_0'), secret))
    assert.throws(() => verify(call, `whsec_${Buffer.alloc(32, 1).toString('base64')}`))
  })

test('Python’s hmac accepts it; a tampered body, an old t and a wrong secret it refuses', () => {
  assert.equal(byPython(call, secret), 'accepted')
  assert.equal(byPython(tampered, secret), 'refused')
  assert.equal(byPython(call, secret, later), 'refused')
  assert.equal(byPython(call, `${secret}x`), 'refused')
})

test('the event’s id is the header’s, and the body is JSON of its four fields', () => {
  const event = JSON.parse(call.body) as Record<string, unknown>
  assert.deepEqual(Object.keys(event), ['id', 'type', 'created_at', 'data'])
  assert.equal(event['id'], header(call, 'webhook-id'))
  assert.match(header(call, 'webhook-id'), /^evt_/)
  assert.deepEqual(event['data'], { test: true })
})

test('while a secret is changed receivers that know either accept; after the overlap the new one alone', async () => {
  const changed = await ask(api.baseUrl, `POST /api/v1/webhooks/${id}/rotate?overlap_hours=2`, {
    key: shop.key,
  })
  const next = textAt(changed, 'secret')
  assert.notEqual(next, secret)
  assert.equal(
    textAt(await ask(api.baseUrl, `GET /api/v1/webhooks/${id}`, { key: shop.key }), 'secret'),
    next,
  )
  const during = await testCall()
  for (const key of [secret, next]) {
    byStripe(during, key)
    byStandard(during, key)
    bySvix(during, key)
    assert.equal(byPython(during, key), 'accepted')
  }
  await api.moveClock('2 hours 1 second')
  const afterwards = await testCall()
  byStripe(afterwards, next)
  byStandard(afterwards, next)
  bySvix(afterwards, next)
  assert.throws(() => byStripe(afterwards, secret))
  assert.throws(() => byStandard(afterwards, secret))
  assert.throws(() => bySvix(afterwards, secret))
})
