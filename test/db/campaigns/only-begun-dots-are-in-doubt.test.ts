/**
 * A lease of a campaign that ended unseen: no mail has left to a recipient whom the batch sender
 * had not recorded at the dot (docs/decisions/0039).
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { FinalDots } from '../../../src/core/campaigns/campaign-final-dots.ts'
import {
  attemptOf,
  leaseClaim,
  renewClaims,
} from '../../../src/core/campaigns/campaign-hand-off.ts'
import { watchLease } from '../../../src/core/sending/attempt.ts'
import { createLeases } from '../../../src/core/sending/leases.ts'
import { cleanUp } from '../../../src/entrypoints/workers/clean-up.ts'
import {
  claimStrays,
  recordAndClaim,
  type ClaimedSubscriber,
} from '../../../src/db/campaigns/campaign-claims.ts'
import { reopenPage } from '../../../src/db/campaigns/campaign-control.ts'
import { recordCampaignOutcomes } from '../../../src/db/campaigns/campaign-outcomes.ts'
import { releaseLostRecipients } from '../../../src/db/campaigns/campaign-leases.ts'
import type { CampaignKey } from '../../../src/db/campaigns/campaign-key.ts'
import { allowDots } from '../../../src/db/campaigns/batch-senders.ts'
import { sql } from '../../../src/database/client/sql.ts'
import type { TestWorkspace } from '../../support/api.ts'
import {
  addSubscribers,
  campaignRow,
  draftOf,
  recipientsOf,
  send,
} from '../../support/campaign-world.ts'
import { startRelayWorld } from '../../support/relay-world.ts'

/** Nothing leaves by itself: the test claims and records. */
const world = await startRelayWorld()
const { db } = world.service

interface Shop {
  workspace: TestWorkspace
  key: CampaignKey
  dots: FinalDots
}

async function frozen(name: string, contacts: number): Promise<Shop> {
  const workspace = await world.workspace(name)
  await addSubscribers(world, workspace, contacts)
  const campaignId = await draftOf(world, workspace)
  assert.equal((await send(world, workspace, campaignId)).status, 202)
  const key = { workspaceId: workspace.id, campaignId }
  return { workspace, key, dots: new FinalDots(world.service, key) }
}

async function claim({ key, dots }: Shop, max: number) {
  const batchSenderId = await dots.batchSenderId()
  const { claimed } = await recordAndClaim(db, key, {
    sent: [],
    max,
    leaseSeconds: 90,
    batchSenderId,
  })
  return claimed.map((row) => handOffOf(row, { key, dots, batchSenderId }))
}

/** A claimed recipient whose lease lasts for ever, with its dot permission. */
function handOffOf(
  row: ClaimedSubscriber,
  { key, dots, batchSenderId }: Pick<Shop, 'key' | 'dots'> & { batchSenderId: string },
) {
  const claimed = { row, batchSenderId, workspaceId: key.workspaceId, requestedAtMs: Infinity }
  const handOff = leaseClaim(leases, claimed)
  const attempt = attemptOf(world.service, {
    handOff,
    campaign: key,
    fromDomain: '',
    fill: neverFilled,
    pass: dots.pass,
  })
  return Object.assign(handOff, {
    mayPassDot: async () => watchLease(world.service, attempt).mayPassDot(),
  })
}

const leases = createLeases(
  world.service,
  renewClaims(world.service, { workspaceId: 0, campaignId: '' }),
)
after(() => leases.stop())

function neverFilled(): never {
  throw new Error('No copy is made here')
}

const endLeases = ({ key }: Shop) =>
  world.run(`update campaign_recipient set leased_until = facteur_now() - interval '1 second',
      next_at = case when next_at is not null then facteur_now() - interval '1 second' end
    where campaign_id = '${key.campaignId}' and state = 'leased'`)

async function loseAll(shop: Shop): Promise<void> {
  await endLeases(shop)
  await releaseLostRecipients(db, shop.key, 100)
}

const statesOf = async ({ workspace, key }: Shop): Promise<string[]> =>
  (await recipientsOf(world, workspace, key.campaignId)).map(({ state }) => state)

/** Of its only recipient. */
async function troublesOf({ key }: Shop): Promise<unknown[]> {
  const row = await db.row<{ troubles: number; state: string; status: string }>(sql`
    select troubles, state, status from campaign_recipient where campaign_id = ${key.campaignId}`)
  return Object.values(row ?? {})
}

async function batchSendersOf({ key }: Shop): Promise<number> {
  const [row] = await db.rows<{ count: number }>(sql`
    select count(*) as count from batch_sender where campaign_id = ${key.campaignId}`)
  return row?.count ?? NaN
}

test('lost before the dot: pending again at once, with neither doubt nor trouble nor an attempt; past it: in doubt', async () => {
  const shop = await frozen('lost', 5)
  const [first, second] = await claim(shop, 5)
  assert.ok(first && second)
  assert.deepEqual(await Promise.all([first.mayPassDot(), second.mayPassDot()]), [true, true])
  await loseAll(shop)
  assert.deepEqual((await statesOf(shop)).toSorted(), [
    'in_doubt',
    'in_doubt',
    'pending',
    'pending',
    'pending',
  ])
  const { pending, inDoubt } = await campaignRow(world, shop.workspace, shop.key.campaignId)
  assert.deepEqual([pending, inDoubt], [3, 2])
  const { claimed: again } = await claimStrays(db, shop.key, { max: 10, leaseSeconds: 90 })
  assert.deepEqual(
    again.map(({ attempts }) => attempts),
    [1, 1, 1],
  )
})

test('a claim without a batch sender, as a process of the previous version makes it: in doubt', async () => {
  const shop = await frozen('version before', 2)
  await recordAndClaim(db, shop.key, { sent: [], max: 2, leaseSeconds: 90 })
  await loseAll(shop)
  assert.deepEqual(await statesOf(shop), ['in_doubt', 'in_doubt'])
})

test('a batch sender proves nothing of a later claim by a process of the previous version', async () => {
  const shop = await frozen('older fence', 2)
  await claim(shop, 2)
  // That process writes a fence and a lease, and no batch sender.
  await world.run(
    `update campaign_recipient set fence = fence + 2 where campaign_id = '${shop.key.campaignId}'`,
  )
  await loseAll(shop)
  assert.deepEqual(await statesOf(shop), ['in_doubt', 'in_doubt'])
})

test('PostgreSQL crashed and lost the batch senders: all claims are in doubt, and no dot is passed', async () => {
  const shop = await frozen('forgotten', 3)
  const [withheld] = await claim(shop, 3)
  await world.run(`truncate batch_sender`)
  assert.equal(await withheld?.mayPassDot(), false)
  await loseAll(shop)
  assert.deepEqual(await statesOf(shop), ['in_doubt', 'in_doubt', 'in_doubt'])
})

test('a holder that wakes up after its lease passes no dot, and claims under another batch sender from then on', async () => {
  const shop = await frozen('woken', 4)
  const withheld = await claim(shop, 2)
  const before = await shop.dots.batchSenderId()
  await loseAll(shop)
  assert.deepEqual(await Promise.all(withheld.map((handOff) => handOff.mayPassDot())), [
    false,
    false,
  ])
  assert.notEqual(await shop.dots.batchSenderId(), before)
  const [next] = await claim(shop, 1)
  assert.equal(await next?.mayPassDot(), true)
})

test('an outcome under a previous batch sender says nothing of the same recipient under the next one', async () => {
  const shop = await frozen('left', 1)
  const [old] = await claim(shop, 1)
  assert.ok(old)
  await loseAll(shop)
  assert.equal(await old.mayPassDot(), false)
  const batchSenderId = await shop.dots.batchSenderId()
  const { claimed } = await claimStrays(db, shop.key, { max: 1, leaseSeconds: 90, batchSenderId })
  const [row] = claimed
  assert.ok(row)
  assert.equal(await handOffOf(row, { ...shop, batchSenderId }).mayPassDot(), true)
  shop.dots.complete(old)
  // Another recipient's dot writes the list again.
  await shop.dots.pass({ row: { subscriberId: crypto.randomUUID() }, batchSenderId })
  await loseAll(shop)
  assert.deepEqual(await statesOf(shop), ['in_doubt'])
})

test('a statement that arrives late undoes no change of a later one', async () => {
  const shop = await frozen('late statement', 2)
  const id = await shop.dots.batchSenderId()
  assert.equal(
    await allowDots(db, shop.key, { id, version: 7, atDot: [crypto.randomUUID()] }),
    true,
  )
  assert.equal(await allowDots(db, shop.key, { id, version: 6, atDot: [] }), false)
})

test('lost before the dot again and again: each loss after the first is a trouble, and the third trouble parks it', async () => {
  const shop = await frozen('poison', 1)
  await claim(shop, 1)
  const troubles: unknown[] = []
  for (let losses = 0; losses < 4; losses++) {
    await loseAll(shop)
    troubles.push(await troublesOf(shop))
    // Each time by a process of its own.
    const batchSenderId = await new FinalDots(world.service, shop.key).batchSenderId()
    await claimStrays(db, shop.key, { max: 1, leaseSeconds: 90, batchSenderId })
  }
  assert.deepEqual(troubles, [
    [0, 'pending', 'queued'],
    [1, 'pending', 'queued'],
    [2, 'pending', 'queued'],
    [3, 'settled', 'failed'],
  ])
})

test('restarts park nobody sooner who was claimed before: after a deferral, a postponement and a return, three losses are two troubles', async () => {
  const shop = await frozen('restarted', 1)
  const claimed = [...(await claim(shop, 1)).map(({ row }) => row)]
  const rules = {
    retryFirstSeconds: 0,
    retryMaxSeconds: 0,
    queueLifeSeconds: 86_400,
    pendingSeconds: 1,
  }
  const claimAgain = async (): Promise<ClaimedSubscriber[]> => {
    const batchSenderId = await new FinalDots(world.service, shop.key).batchSenderId()
    return (await claimStrays(db, shop.key, { max: 1, leaseSeconds: 90, batchSenderId })).claimed
  }
  for (const event of ['deferred', 'postponed', 'returned'] as const) {
    const [row] = claimed.splice(0)
    assert.ok(row)
    const outcome = { event, error: null, response: null, copy: null, waitSeconds: 0 }
    await recordCampaignOutcomes(db, shop.key, [{ ...row, ...outcome }], rules)
    claimed.push(...(await claimAgain()))
  }
  for (const troubles of [0, 1, 2]) {
    await loseAll(shop)
    assert.deepEqual(await troublesOf(shop), [troubles, 'pending', 'queued'])
    assert.equal((await claimAgain()).length, 1)
  }
  await loseAll(shop)
  assert.deepEqual(await troublesOf(shop), [3, 'settled', 'failed'])
  // Somebody who tries again has mended what was wrong.
  await reopenPage(db, shop.key, {
    which: 'failed',
    after: '00000000-0000-0000-0000-000000000000',
    max: 10,
  })
  assert.equal((await claimAgain()).length, 1)
  await loseAll(shop)
  assert.deepEqual(await troublesOf(shop), [0, 'pending', 'queued'])
})

test('a batch sender leaves no row behind, and one of a killed process is deleted after a day', async () => {
  const shop = await frozen('rows', 2)
  await claim(shop, 1)
  assert.equal(await batchSendersOf(shop), 1)
  await shop.dots.end()
  assert.equal(await batchSendersOf(shop), 0)
  const killed = new FinalDots(world.service, shop.key)
  await killed.batchSenderId()
  await cleanUp(world.service, new AbortController().signal)
  assert.equal(await batchSendersOf(shop), 1)
  await world.run(`update batch_sender set opened_at = facteur_now() - interval '25 hours'`)
  await cleanUp(world.service, new AbortController().signal)
  assert.equal(await batchSendersOf(shop), 0)
})
