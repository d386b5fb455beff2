/**
 * What pages, commands and maintenance read of a campaign that was sent: its name, where a window of
 * its list ends, which failures may be tried again, and what keeps its rows.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { campaignNames } from '../../../src/db/audience/contact-pages.ts'
import { recordAndClaim } from '../../../src/db/campaigns/campaign-claims.ts'
import { endOfCampaignWindow } from '../../../src/db/campaigns/campaign-mails.ts'
import { countRetryable } from '../../../src/db/campaigns/campaign-pace.ts'
import { capturedPage } from '../../../src/db/captured/captured-mails.ts'
import { unfinished } from '../../../src/db/retention/unfinished.ts'
import { countRowsInHand } from '../../../src/db/sending/rows-in-hand.ts'
import { addSubscribers, draftOf, send } from '../../support/campaign-world.ts'
import { startRelayWorld } from '../../support/relay-world.ts'

const world = await startRelayWorld()
const { db } = world.service
const [workspace, other] = [await world.workspace('sender'), await world.workspace('other')]
await addSubscribers(world, workspace, 5)
const campaignId = await draftOf(world, workspace, { name: 'October' })
assert.equal((await send(world, workspace, campaignId)).status, 202)
const key = { workspaceId: workspace.id, campaignId }
const subscriber = (n: number) => `01990000-0000-7000-8000-00000000000${n}`

test('names are those of the workspace’s campaigns', async () => {
  assert.deepEqual(
    await campaignNames(db, workspace.id, [campaignId, randomUUID()]),
    new Map([[campaignId, 'October']]),
  )
  assert.deepEqual(await campaignNames(db, other.id, [campaignId]), new Map())
})

test('a window of the list ends at its last recipient, and behind the list at none', async () => {
  const endOf = (window: number, before: string | null = null) =>
    endOfCampaignWindow(db, workspace.id, { campaignId, before, window })
  assert.equal(await endOf(2), subscriber(4))
  assert.equal(await endOf(2, subscriber(4)), subscriber(2))
  assert.equal(await endOf(2, subscriber(2)), null)
  assert.equal(
    await endOfCampaignWindow(db, other.id, { campaignId, before: null, window: 1 }),
    null,
  )
})

test('recipients between claim and outcome are in hand, until their lease ends', async () => {
  assert.equal(await countRowsInHand(db, workspace.id), 0)
  await recordAndClaim(db, key, { sent: [], max: 2, leaseSeconds: 90 })
  assert.equal(await countRowsInHand(db, workspace.id), 2)
  assert.equal(await countRowsInHand(db, other.id), 0)
  await world.moveClock('2 minutes')
  assert.equal(await countRowsInHand(db, workspace.id), 0)
  await world.moveClock('0 seconds')
})

test('failures may be tried again, but for those that were refused or cancelled', async () => {
  assert.deepEqual(await countRetryable(db, key, 10), { count: 0, more: false })
  for (const [n, cause, sentAt] of [
    [1, 'expired', 'null'],
    [2, 'refused', 'facteur_now()'],
    [3, 'cancelled', 'null'],
    [4, 'expired', 'null'],
  ] as const)
    await world.run(`
      update campaign_recipient set state = 'settled', status = 'failed', cause = '${cause}', sent_at = ${sentAt}
      where subscriber_id = '${subscriber(n)}'`)
  assert.deepEqual(await countRetryable(db, key, 10), { count: 2, more: false })
  assert.deepEqual(await countRetryable(db, key, 3), { count: 1, more: true })
  const ofOther = { ...key, workspaceId: other.id }
  assert.deepEqual(await countRetryable(db, ofOther, 10), { count: 0, more: false })
})

test('a campaign keeps the rows of its month until it has been over for long enough', async () => {
  const find = async (before: string, from = '00000000-0000-0000-0000-000000000000') =>
    unfinished.find(
      db,
      { keeps: 'unfinished campaigns' } as Parameters<typeof unfinished.find>[1],
      {
        from,
        to: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
        before: new Date(before),
        stopping: undefined,
      },
    )
  const nothing = { workspaceIds: [], ids: [] }
  const itself = { workspaceIds: [workspace.id], ids: [campaignId] }
  assert.deepEqual(await find('2030-01-01'), itself, 'it is on its way')
  await world.run(`update campaign set completed_at = '2026-05-01' where id = '${campaignId}'`)
  assert.deepEqual(await find('2026-04-01'), itself)
  assert.deepEqual(await find('2026-06-01'), nothing)
  assert.deepEqual(await find('2026-04-01', 'f0000000-0000-0000-0000-000000000000'), nothing)
})

test('captured mails are listed newest first, with the subject of their campaign and its reader', async () => {
  for (const n of [1, 2, 3])
    await world.run(`
      insert into captured_mail (workspace_id, id, position, campaign_id, subscriber_id, return_path,
        recipient, raw, captured_at)
      values (${workspace.id}, '${randomUUID()}', 0, '${campaignId}', '${subscriber(n)}', 'bounce@example.com',
        'person${n}@example.com', '${n === 3 ? '' : 'mail'}', facteur_now() - interval '${n} hours')`)
  const page = await capturedPage(db, workspace.id, { max: 9, before: null })
  assert.deepEqual(
    page.map(({ recipient, reader }) => [recipient, reader?.firstName]),
    [
      ['person1@example.com', 'Person 1'],
      ['person2@example.com', 'Person 2'],
    ],
    'one without bytes was deleted',
  )
  assert.equal(page[0]?.subject, 'News for {{firstName}}')
  const before = page[0] ?? null
  assert.deepEqual(
    (await capturedPage(db, workspace.id, { max: 9, before })).map(({ recipient }) => recipient),
    ['person2@example.com'],
  )
  assert.deepEqual(await capturedPage(db, other.id, { max: 9, before: null }), [])
})
