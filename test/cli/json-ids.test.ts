/**
 * `--json` answers the object with its `id`: commands that take a name, an address or a workspace
 * in its place.
 */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { addSubscribers, draftOf } from '../support/campaign-world.ts'
import { startApi } from '../support/api.ts'
import { at } from '../support/json.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { createOperator } from './facteur.ts'

const api = await startApi({ workers: false })
const shop = await api.workspace('shop')
await addSubscribers(api, shop, 2)
const operator = createOperator({
  DATABASE_URL: api.database.url,
  FACTEUR_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
})
const W = ['--workspace', 'shop']
const folder = makeTemporaryFolder('json')
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const idOf = async (...line: string[]): Promise<string> =>
  String(at(await operator.json(line), 'id'))

test("members: links have their own id, acts on a member have the user's", async () => {
  assert.match(await idOf('member', 'set-up-link'), uuid)
  assert.match(await idOf('member', 'invite', ...W, '--role', 'viewer', 'new@example.com'), uuid)
  for (const name of ['ada', 'grace']) {
    const contact = `00000000-0000-7000-8000-0000000000${name === 'ada' ? '01' : '02'}`
    await api.run(
      `insert into user_account (id, email, name, created_at) values ('${contact}', '${name}@example.com', '', facteur_now())`,
    )
    await api.run(
      `insert into workspace_member (workspace_id, user_id, role, created_at) values (${shop.id}, '${contact}', 'owner', facteur_now())`,
    )
  }
  const ada = '00000000-0000-7000-8000-000000000001'
  assert.equal(await idOf('member', 'role', ...W, '--role', 'editor', 'ada@example.com'), ada)
  assert.equal(await idOf('member', 'reset-link', 'ada@example.com'), ada)
  assert.equal(await idOf('member', 'remove', ...W, 'ada@example.com'), ada)
})

test('of a workspace: its provider, its reputation, its switch for failing webhooks, an import into its suppression list', async () => {
  const ours = String(shop.id)
  assert.equal(await idOf('provider', 'show', ...W), ours)
  assert.equal(await idOf('provider', 'set', ...W, '--type', 'local-capture'), ours)
  assert.equal(await idOf('provider', 'show', ...W), ours)
  assert.equal(await idOf('provider', 'unset', ...W), ours)
  assert.equal(await idOf('reputation', 'show', ...W), ours)
  assert.equal(await idOf('webhook', 'disable-failing', ...W, 'on'), ours)
  const file = join(folder, 'closed.csv')
  writeFileSync(file, 'email\nclosed@example.com\n')
  assert.equal(await idOf('suppression', 'import', ...W, file), ours)
  assert.equal(await idOf('suppression', 'import', '--platform', file), 'platform')
})

test('of a webhook, a campaign and a contact: replayed, counted, filed and erased', async () => {
  const webhook = await idOf(
    'webhook',
    'create',
    ...W,
    '--events',
    'email.sent',
    'https://hooks.example.com/',
  )
  assert.equal(
    await idOf('webhook', 'replay', ...W, webhook, '--from', '2020-01-01T00:00:00Z'),
    webhook,
  )
  const campaign = await draftOf(api, shop)
  assert.equal(await idOf('campaign', 'stats', ...W, campaign), campaign)
  assert.equal(
    await idOf('campaign', 'recipients', ...W, '--csv', join(folder, 'recipients.csv'), campaign),
    campaign,
  )
  assert.equal(await idOf('contact', 'show', ...W, 'person1@example.com'), 'person1@example.com')
  assert.equal(
    await idOf('contact', 'erase', ...W, '--yes', 'person1@example.com'),
    'person1@example.com',
  )
})
