/** Selected scheduled messages as members cancel them, in one call, of their own workspace alone. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { audienceLimits } from '../../src/contract/workspace/audience-limits.ts'
import { sql } from '../../src/database/client/sql.ts'
import { startApi, type TestWorkspace } from '../support/api.ts'
import { ask, assertAnswered, assertRefused, textAt } from '../support/ask.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { signIn } from '../support/sign-in.ts'

const api = await startApi({ entry: operatorEntryPoints() })
const shop = await api.workspace('shop')
const other = await api.workspace('other')
const editor = await signIn(api, { in: { [shop.id]: 'editor' } })
const viewer = await signIn(api, { in: { [shop.id]: 'viewer' } })
const stranger = await signIn(api, { in: { [other.id]: 'owner' } })
const path = 'POST /workspaces/shop/api/v1/messages/cancel-selected'

const mail = async ({ key }: TestWorkspace, slug: string, body = {}): Promise<string> => {
  const scheduled = { scheduled_at: 'in 2 hours', to: 'lea@example.com', subject: 's', text: 't' }
  const whole = { from: `hello@${slug}.test`, ...scheduled, ...body }
  return textAt(await ask(api.baseUrl, 'POST /api/v1/emails', { key, body: whole }), 'id')
}
const canceled = (workspaceId: number): Promise<string[]> =>
  api.service.db.column<string>(sql`
    select id from message where workspace_id = ${workspaceId} and canceled_at is not null order by id`)

test('200: those that wait are cancelled, each in the audit log; others are counted, and stay', async () => {
  const first = await mail(shop, 'shop')
  const second = await mail(shop, 'shop')
  const now = await mail(shop, 'shop', { scheduled_at: undefined })
  const foreign = await mail(other, 'other')
  const ids = [second, now, first, first, foreign]
  assertRefused(await viewer.ask(path, { body: { ids } }), 'insufficient_role')
  assertRefused(await stranger.ask(path, { body: { ids } }), 'not_found')
  assert.deepEqual(await canceled(shop.id), [])
  assertAnswered(await editor.ask(path, { body: { ids } }), 200, {
    ...{ object: 'canceled_emails', canceled: 2, unchanged: 2 },
  })
  assert.deepEqual(await canceled(shop.id), [first, second].toSorted())
  assert.deepEqual(await canceled(other.id), [])
  assertAnswered(await editor.ask(path, { body: { ids } }), 200, { canceled: 0, unchanged: 4 })
  const subjects = await api.service.db.column<string>(sql`
    select subject from audit_log
    where workspace_id = ${shop.id} and act = 'message.canceled' order by subject`)
  assert.deepEqual(subjects, [first, second].toSorted())
})

test('422 validation_error: none, too many, and what is no identifier', async () => {
  const limit = audienceLimits.selectedTogetherMax
  const many = Array.from({ length: limit + 1 }, () => '019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e40')
  assertRefused(await editor.ask(path, { body: { ids: [] } }), 'validation_error', { path: 'ids' })
  assertRefused(await editor.ask(path, { body: { ids: many } }), 'validation_error', {
    ...{ path: 'ids', limit },
  })
  assertRefused(await editor.ask(path, { body: { ids: ['1'] } }), 'validation_error', {
    path: 'ids.0',
  })
})
