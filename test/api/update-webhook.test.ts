/**
 * PATCH /api/v1/webhooks/{id}: given fields change, and are validated as at creation (spec:
 * Webhooks).
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, assertRefused, textAt } from '../support/ask.ts'

const api = await startApi()
const shop = await api.workspace('shop')
const body = { name: 'shop', url: 'https://shop.example/', events: ['email.sent'] }
const id = textAt(await ask(api.baseUrl, 'POST /api/v1/webhooks', { key: shop.key, body }), 'id')
const update = (change: object) =>
  ask(api.baseUrl, `PATCH /api/v1/webhooks/${id}`, { key: shop.key, body: change })

test('200: each part alone, the rest as it was, and no secret', async () => {
  assertAnswered(await update({ name: 'other' }), 200, { ...body, name: 'other', enabled: true })
  assertAnswered(await update({ enabled: false }), 200, { ...body, name: 'other', enabled: false })
  assertAnswered(await update({ events: ['email.bounced'] }), 200, {
    events: ['email.bounced'],
    enabled: false,
  })
  const answer = await update({ url: 'https://elsewhere.example/x', enabled: true })
  assertAnswered(answer, 200, { url: 'https://elsewhere.example/x', enabled: true })
  assert.ok(!JSON.stringify(answer.body).includes('whsec_'))
  assertAnswered(await update({}), 200, { url: 'https://elsewhere.example/x' })
})

test('200: by the spellings of Resend; 422 when they differ from ours, and nothing changes', async () => {
  const endpoint = 'https://resend.example/x'
  const both = { url: endpoint, endpoint, enabled: false, status: 'disabled' }
  assertAnswered(await update({ endpoint, status: 'disabled' }), 200, both)
  for (const [change, path] of [
    [{ url: 'https://elsewhere.example/', endpoint }, 'endpoint'],
    [{ enabled: false, status: 'enabled' }, 'status'],
  ] as const)
    assertRefused(await update(change), 'validation_error', { path, rule: 'alias_differs' })
  assertAnswered(await update({}), 200, both)
})

test('422 validation_error: as at creation', async () => {
  assertRefused(await update({ events: [] }), 'validation_error', { path: 'events' })
  assertRefused(await update({ url: 'https://10.0.0.1/' }), 'validation_error', {
    path: 'url',
    rule: 'url.address',
  })
  assertRefused(await update({ name: 'x'.repeat(81) }), 'validation_error', {
    path: 'name',
    rule: 'maxLength',
  })
})
