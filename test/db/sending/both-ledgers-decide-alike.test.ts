/**
 * Single messages and campaigns decide on an attempt by one rule: the same outcome after the same
 * feedback ends alike.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FeedbackTarget } from '../../../src/core/feedback-target.ts'
import { recordFeedback } from '../../../src/core/feedback/record-feedback.ts'
import { outcomeRules } from '../../../src/core/sending/record-outcome.ts'
import { claimStrays, recordAndClaim } from '../../../src/db/campaigns/campaign-claims.ts'
import { releaseLostRecipients } from '../../../src/db/campaigns/campaign-leases.ts'
import { recordCampaignOutcomes } from '../../../src/db/campaigns/campaign-outcomes.ts'
import { recountCampaign } from '../../../src/db/campaigns/campaign-recount.ts'
import { claimRecipients, releaseLostLeases } from '../../../src/db/sending/claims.ts'
import { recordOutcomes } from '../../../src/db/sending/outcomes.ts'
import type { AttemptOutcome } from '../../../src/db/sending/attempt-outcome.ts'
import { sql, type Statement } from '../../../src/database/client/sql.ts'
import { accountStatus } from '../../../src/db/workspaces/account-status.ts'
import type { TestWorkspace } from '../../support/api.ts'
import { addSubscribers, draftOf, send } from '../../support/campaign-world.ts'
import { newsFrom } from '../../support/feedback.ts'
import { handedOver, startRelayWorld } from '../../support/relay-world.ts'

/** Nothing leaves by itself: the test claims and records. */
const world = await startRelayWorld()
const { service } = world
const { db } = service

type Outcome = Partial<AttemptOutcome> & Pick<AttemptOutcome, 'event'>
const whole = (outcome: Outcome): AttemptOutcome => ({
  error: null,
  response: null,
  copy: null,
  ...outcome,
})

/** One claimed recipient of a ledger. */
interface Claimed {
  target: FeedbackTarget
  record(outcome: Outcome): Promise<unknown>
  claimAgain(): Promise<unknown>
  loseWorker(): Promise<unknown>
  row(): Promise<Row>
}

interface Row {
  state: string
  status: string
  error: string | null
  bounce: string | null
}

async function claimMessage(workspace: TestWorkspace): Promise<Claimed> {
  const messageId = await handedOver(world, workspace, {
    scheduled_at: new Date(Date.now() + 3_600_000).toISOString(),
  })
  const of = `message_id = '${messageId}'`
  let fence = 0
  const claimAgain = async (): Promise<void> => {
    await world.run(`update recipient set next_at = facteur_now() where ${of}`)
    const room = { max: 1, bytesMax: 1e9, leaseSeconds: 90 }
    const [row] = (await claimRecipients(db, workspace.id, 'transactional', room)).claimed
    assert.ok(row)
    fence = row.fence
  }
  await claimAgain()
  const rules = outcomeRules(service, workspace.id)
  return {
    target: { messageId, position: 0 },
    record: (outcome) =>
      recordOutcomes(
        db,
        workspace.id,
        [{ messageId, position: 0, fence, ...whole(outcome) }],
        rules,
      ),
    claimAgain,
    async loseWorker() {
      await world.run(`update recipient set next_at = facteur_now() where ${of}`)
      await releaseLostLeases(db, workspace.id, 'transactional', { ...rules, repeat: false })
    },
    row: () =>
      oneOf(sql`
        select state, status, error, bounce from recipient where workspace_id = ${workspace.id} and message_id = ${messageId}`),
  }
}

async function claimSubscriber(workspace: TestWorkspace): Promise<Claimed> {
  await addSubscribers(world, workspace, 1)
  const campaignId = await draftOf(world, workspace)
  assert.equal((await send(world, workspace, campaignId)).status, 202)
  const key = { workspaceId: workspace.id, campaignId }
  const of = `campaign_id = '${campaignId}'`
  let [row] = (await recordAndClaim(db, key, { sent: [], max: 1, leaseSeconds: 90 })).claimed
  assert.ok(row)
  const { subscriberId } = row
  const rules = {
    retryFirstSeconds: 60,
    retryMaxSeconds: 3_600,
    queueLifeSeconds: 4 * 86_400,
    pendingSeconds: 1,
  }
  return {
    target: { campaignId, subscriberId },
    record: (outcome) =>
      recordCampaignOutcomes(
        db,
        key,
        [{ subscriberId, fence: row?.fence ?? 0, ...whole(outcome) }],
        rules,
      ),
    async claimAgain() {
      await world.run(`update campaign_recipient set next_at = facteur_now() where ${of}`)
      const { claimed } = await claimStrays(db, key, { max: 1, leaseSeconds: 90 })
      ;[row] = claimed
      assert.ok(row)
    },
    async loseWorker() {
      await world.run(`update campaign_recipient set leased_until = facteur_now() where ${of}`)
      await releaseLostRecipients(db, key, 10)
    },
    async row() {
      assert.equal(await recountCampaign(db, key), 0)
      return oneOf(sql`
        select state, status, error, bounce from campaign_recipient
        where workspace_id = ${workspace.id} and campaign_id = ${campaignId}`)
    },
  }
}

async function oneOf(statement: Statement): Promise<Row> {
  const [row] = await db.rows<Row>(statement)
  assert.ok(row)
  return row
}

const handOffs = async ({ id }: TestWorkspace): Promise<[number, number]> => {
  const { handOffs: count, bounces } = await accountStatus(db, id, { countsRunning: true })
  return [count, bounces]
}

const ledgers = { 'a single message': claimMessage, 'a campaign': claimSubscriber }
const unknown: Outcome = {
  event: 'bounced',
  error: '550 5.1.1 no such user',
  response: '550 5.1.1 no such user',
  bounce: 'hard',
}
const policy: Outcome = {
  event: 'failed',
  error: '554 5.7.1 no',
  response: '554 5.7.1 no',
  bounce: 'policy',
}
const softly: Outcome = { event: 'deferred', response: '452 4.2.2 full', bounce: 'soft' }
const threw: Outcome = { event: 'threw', error: 'why' }

for (const [name, claim] of Object.entries(ledgers)) {
  test(`${name}: reported as delivered while it is handed over, then the address does not exist: bounced, and counted`, async () => {
    const workspace = await world.workspace(`${name} known and bounced`)
    const claimed = await claim(workspace)
    await recordFeedback(service, {
      workspaceId: workspace.id,
      feedback: [newsFrom(claimed.target, 'delivered')],
    })
    await claimed.record(unknown)
    assert.partialDeepStrictEqual(await claimed.row(), {
      state: 'settled',
      status: 'bounced',
      bounce: 'hard',
      error: unknown.error,
    })
    assert.deepEqual(await handOffs(workspace), [1, 1])
  })

  for (const outcome of [
    policy,
    softly,
    threw,
    { event: 'in_doubt' },
    { event: 'returned' },
  ] satisfies Outcome[]) {
    test(`${name}: reported as delivered, then ${outcome.event}: it stays delivered and counts as handed over`, async () => {
      const workspace = await world.workspace(`${name} known and ${outcome.event}`)
      const claimed = await claim(workspace)
      await recordFeedback(service, {
        workspaceId: workspace.id,
        feedback: [newsFrom(claimed.target, 'delivered')],
      })
      await claimed.record(outcome)
      assert.partialDeepStrictEqual(await claimed.row(), {
        state: 'settled',
        status: 'delivered',
        bounce: null,
        error: null,
      })
      assert.deepEqual(await handOffs(workspace), [1, 0])
    })
  }

  test(`${name}: deferred before, then parked: no host refused it, so it has no bounce`, async () => {
    const workspace = await world.workspace(`${name} parked`)
    const claimed = await claim(workspace)
    for (const outcome of [softly, threw, threw, threw]) {
      await claimed.record(outcome)
      if ((await claimed.row()).state === 'pending') await claimed.claimAgain()
    }
    assert.partialDeepStrictEqual(await claimed.row(), {
      state: 'settled',
      status: 'failed',
      bounce: null,
      error: 'parked: why',
    })
    assert.deepEqual(await handOffs(workspace), [0, 0])
  })

  test(`${name}: reported as delivered, and its worker is lost: it stays delivered`, async () => {
    const workspace = await world.workspace(`${name} known and lost`)
    const claimed = await claim(workspace)
    await recordFeedback(service, {
      workspaceId: workspace.id,
      feedback: [newsFrom(claimed.target, 'delivered')],
    })
    await claimed.loseWorker()
    assert.partialDeepStrictEqual(await claimed.row(), {
      state: 'settled',
      status: 'delivered',
      error: null,
    })
  })
}
