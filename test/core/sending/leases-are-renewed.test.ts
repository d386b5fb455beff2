/**
 * Leases are renewed while their rows are held: one workspace's trouble costs no other its lease,
 * and a failure is not the end.
 */
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { systemClock, type Clock } from '../../../src/ground/clock.ts'
import { renewClaims } from '../../../src/core/campaigns/campaign-hand-off.ts'
import { renewMessageLeases } from '../../../src/core/sending/hand-off.ts'
import { createLeases } from '../../../src/core/sending/leases.ts'
import { sql } from '../../../src/database/client/sql.ts'
import type { TestWorkspace } from '../../support/api.ts'
import { handedOver, claim, ledgerRow, startRelayWorld } from '../../support/relay-world.ts'
import { createFrozenClock } from '../../support/frozen-clock.ts'
import { until } from '../../support/until.ts'

const world = await startRelayWorld()
const { service } = world

let warned = Promise.withResolvers<void>()

/** Separate leases, as another process would hold them. */
function leasesOf(leaseSeconds: number, clock: Clock) {
  const settings = { ...service.settings, leaseSeconds }
  const log = { ...service.log, warn: () => warned.resolve() }
  return createLeases(
    { ...service, clock, settings, log },
    renewMessageLeases({ ...service, settings }),
  )
}

async function claimed(
  workspace: TestWorkspace,
): Promise<{ workspaceId: number; messageId: string; position: number; fence: number }> {
  const messageId = await handedOver(world, workspace, {
    scheduled_at: new Date(Date.now() + 3_600_000).toISOString(),
  })
  await world.run(`update recipient set next_at = facteur_now() where message_id = '${messageId}'`)
  const [row] = await claim(world, workspace)
  assert.equal(row?.messageId, messageId)
  // As if it had been claimed long ago.
  await world.run(`update recipient set next_at = facteur_now() where message_id = '${messageId}'`)
  return { workspaceId: workspace.id, messageId, position: 0, fence: row.fence }
}

async function untilRenewed(workspace: TestWorkspace, messageId: string): Promise<void> {
  await until(
    () => ledgerRow(world, workspace, messageId),
    ({ nextIn }) => nextIn >= 0.5,
  )
}

test('a workspace whose renewal fails does not stop the renewals of others', async () => {
  const [broken, sound] = [await world.workspace('broken'), await world.workspace('sound')]
  const row = await claimed(sound)
  // A renewal that comes late finds the lease all the same.
  const leases = leasesOf(3, { ...systemClock, monotonicMs: () => 0 })
  leases.track({
    workspaceId: broken.id,
    messageId: 'not an id',
    position: 0,
    fence: 1,
    requestedAtMs: 0,
  })
  leases.track({ ...row, requestedAtMs: 0 })
  await untilRenewed(sound, row.messageId)
  leases.stop()
})

test('a renewal that failed is tried again before the next round, while the lease lasts', async () => {
  const workspace = await world.workspace('again')
  const row = await claimed(workspace)
  warned = Promise.withResolvers()
  await world.run('alter table recipient rename to away')
  const clock = createFrozenClock()
  const leases = leasesOf(3, clock)
  const lease = leases.track({ ...row, requestedAtMs: clock.monotonicMs() })
  await warned.promise
  await world.run('alter table away rename to recipient')
  await until(() => clock.sleepersMs().length > 0)
  assert.deepEqual(clock.sleepersMs(), [100], 'where a round is each 1,000 ms')
  clock.advance(100)
  await untilRenewed(workspace, row.messageId)
  assert.ok(lease.mayProceed())
  leases.stop()
})

/**
 * The process's own clock, which stands still unless a test moves it: a lease ends by what a
 * renewal says, or by this clock.
 */
let nowMs = 0
function stillLeasesOf(t: TestContext, leaseSeconds: number) {
  const clock = { ...service.clock, monotonicMs: () => nowMs }
  const ctx = { ...service, clock, settings: { ...service.settings, leaseSeconds } }
  const leases = createLeases(ctx, renewMessageLeases(ctx))
  t.after(() => leases.stop())
  return leases
}

/** Waits until a renewal has been written that began after this call. */
async function untilRenewedAgain(messageId: string): Promise<void> {
  for (let rounds = 0; rounds < 2; rounds++) {
    await world.run(
      `update recipient set next_at = facteur_now() - interval '1 second' where message_id = '${messageId}'`,
    )
    await until(
      () => nextInOf(messageId),
      (observed) => observed >= 0,
    )
  }
}

async function nextInOf(messageId: string): Promise<number> {
  const [row] = await service.db.rows<{ seconds: number }>(sql`
    select extract(epoch from next_at - facteur_now())::float8 as seconds from recipient where message_id = ${messageId}`)
  return row?.seconds ?? NaN
}

test('a renewal that does not find its row ends the lease: the fence was raised meanwhile', async (t) => {
  const workspace = await world.workspace('fenced off')
  const [lost, stored] = [await claimed(workspace), await claimed(workspace)]
  const leases = stillLeasesOf(t, 0.6)
  const [lease, other] = [
    leases.track({ ...lost, requestedAtMs: nowMs }),
    leases.track({ ...stored, requestedAtMs: nowMs }),
  ]
  assert.ok(lease.mayProceed() && other.mayProceed())
  await world.run(`update recipient set fence = fence + 1 where message_id = '${lost.messageId}'`)
  await untilRenewedAgain(stored.messageId)
  assert.deepEqual([lease.mayProceed(), other.mayProceed()], [false, true])
})

test('MAIL and the final dot need a sixth of the lease, by the process’s own clock: of single messages and of campaigns', (t) => {
  const leases = stillLeasesOf(t, 90)
  const row = {
    subscriberId: '',
    fence: 1,
    attempts: 1,
    email: '',
    firstName: null,
    lastName: null,
    fields: null,
    firstClaimedAt: new Date(),
  }
  const ctx = {
    ...service,
    clock: { ...service.clock, monotonicMs: () => nowMs },
    settings: { ...service.settings, leaseSeconds: 90 },
  }
  const campaignLeases = createLeases(ctx, renewClaims(ctx, { workspaceId: 1, campaignId: '' }))
  t.after(() => campaignLeases.stop())
  const beganMs = nowMs
  const campaign = campaignLeases.track({
    row,
    batchSenderId: '',
    workspaceId: 1,
    requestedAtMs: beganMs,
  })
  const single = leases.track({
    workspaceId: 1,
    messageId: 'x',
    position: 0,
    fence: 1,
    requestedAtMs: beganMs,
  })
  const mayProceed = (): boolean[] => [single.mayProceed(), campaign.mayProceed()]
  nowMs = beganMs + 74_999
  assert.deepEqual(mayProceed(), [true, true])
  nowMs = beganMs + 75_000
  assert.deepEqual(mayProceed(), [false, false])
})
