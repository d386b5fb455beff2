/** Selected drafts as members delete them, in one call, of their own workspace alone. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { audienceLimits } from '../../src/contract/workspace/audience-limits.ts'
import { sql } from '../../src/database/client/sql.ts'
import { startApi } from '../support/api.ts'
import { assertAnswered, assertRefused } from '../support/ask.ts'
import { draftOf } from '../support/campaign-world.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { signIn } from '../support/sign-in.ts'

const api = await startApi({ entry: operatorEntryPoints() })
const shop = await api.workspace('shop')
const other = await api.workspace('other')
const editor = await signIn(api, { in: { [shop.id]: 'editor' } })
const viewer = await signIn(api, { in: { [shop.id]: 'viewer' } })
const stranger = await signIn(api, { in: { [other.id]: 'owner' } })
const path = 'POST /workspaces/shop/api/v1/drafts/delete-selected'

const namesOf = (workspaceId: number): Promise<string[]> =>
  api.service.db.column<string>(sql`
    select name from campaign where workspace_id = ${workspaceId} order by name`)

test('200: drafts go, each in the audit log; others are counted, and stay', async () => {
  const first = await draftOf(api, shop, { name: 'First' })
  const second = await draftOf(api, shop, { name: 'Second' })
  const archived = await draftOf(api, shop, { name: 'Archived' })
  await api.service.db.count(sql`
    update campaign set status = 'archived' where workspace_id = ${shop.id} and id = ${archived}`)
  const foreign = await draftOf(api, other, { name: 'Foreign' })
  const ids = [second, archived, first, first, foreign]
  assertRefused(await viewer.ask(path, { body: { ids } }), 'insufficient_role')
  assertRefused(await stranger.ask(path, { body: { ids } }), 'not_found')
  assert.deepEqual(await namesOf(shop.id), ['Archived', 'First', 'Second'])
  assertAnswered(await editor.ask(path, { body: { ids } }), 200, {
    ...{ object: 'deleted_drafts', deleted: 2, unchanged: 2 },
  })
  assert.deepEqual(await namesOf(shop.id), ['Archived'])
  assert.deepEqual(await namesOf(other.id), ['Foreign'])
  const subjects = await api.service.db.column<string>(sql`
    select subject from audit_log
    where workspace_id = ${shop.id} and act = 'campaign.deleted' order by subject`)
  assert.deepEqual(subjects, ['First', 'Second'])
})

test('422 validation_error: none, and too many', async () => {
  const limit = audienceLimits.selectedTogetherMax
  const many = Array.from({ length: limit + 1 }, () => '019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e40')
  assertRefused(await editor.ask(path, { body: { ids: [] } }), 'validation_error', { path: 'ids' })
  assertRefused(await editor.ask(path, { body: { ids: many } }), 'validation_error', {
    ...{ path: 'ids', limit },
  })
})
