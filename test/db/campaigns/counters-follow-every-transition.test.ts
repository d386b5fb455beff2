/**
 * The running counters of a campaign equal a recount after each kind of transition, so that none of
 * them drifts.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { finalizeCancelledRest } from '../../../src/core/campaigns/maintain-campaign.ts'
import { eraseContact } from '../../../src/core/audience/contacts/erase-contact.ts'
import { assumeCampaignMailDelivered } from '../../../src/core/feedback/assume-delivered.ts'
import { recordFeedback } from '../../../src/core/feedback/record-feedback.ts'
import { suppressAddress } from '../../../src/core/suppression/suppress-address.ts'
import { createRecordEngagement } from '../../../src/core/tracking/record-engagement.ts'
import {
  claimStrays,
  recordAndClaim,
  type ClaimedSubscriber,
} from '../../../src/db/campaigns/campaign-claims.ts'
import { releaseLostRecipients } from '../../../src/db/campaigns/campaign-leases.ts'
import type { CampaignKey } from '../../../src/db/campaigns/campaign-key.ts'
import {
  recordCampaignOutcomes,
  type CampaignOutcome,
} from '../../../src/db/campaigns/campaign-outcomes.ts'
import { recountCampaign } from '../../../src/db/campaigns/campaign-recount.ts'
import { markUnsubscribed } from '../../../src/db/campaigns/campaign-tallies.ts'
import { scheduleAssumedDelivery } from '../../../src/db/feedback/campaign-assumed-delivery.ts'
import { sql } from '../../../src/database/client/sql.ts'
import { callVerb } from '../../support/call-verb.ts'
import { addSubscribers, campaignRow, draftOf, send } from '../../support/campaign-world.ts'
import { newsFrom } from '../../support/feedback.ts'
import { startRelayWorld } from '../../support/relay-world.ts'
import { browser } from '../../support/tracking-world.ts'

/** Nothing leaves by itself: the test claims and records. */
const world = await startRelayWorld()
const { service } = world
const { db } = service
const recordRequest = createRecordEngagement(service)
const rules = {
  retryFirstSeconds: 60,
  retryMaxSeconds: 3_600,
  queueLifeSeconds: 4 * 86_400,
  pendingSeconds: 1,
}

/** A campaign of six: three are claimed, one of the others was handed over, two wait. */
interface Running {
  key: CampaignKey
  claimed: ClaimedSubscriber[]
  sent: string
}

type Outcome = Partial<CampaignOutcome> & Pick<CampaignOutcome, 'event'>

const outcome =
  (...events: Outcome[]) =>
  ({ key, claimed }: Running) =>
    recordCampaignOutcomes(
      db,
      key,
      claimed.flatMap((row, index) => {
        const event = events[index]
        return event ? [{ ...row, error: null, response: null, copy: null, ...event }] : []
      }),
      rules,
    )

const claimAgain = ({ key }: Running) => claimStrays(db, key, { max: 10, leaseSeconds: 90 })
const setLeased = ({ key }: Running, set: string) =>
  world.run(
    `update campaign_recipient set ${set} where campaign_id = '${key.campaignId}' and state = 'leased'`,
  )
const unsubscribeAll = ({ key }: Running) =>
  world.run(`update subscriber set status = 'unsubscribed' where workspace_id = ${key.workspaceId}`)
const outliveQueue = ({ key }: Running) =>
  world.run(
    `update campaign set frozen_at = frozen_at - interval '9 days' where id = '${key.campaignId}'`,
  )
const loseWorker = async (running: Running): Promise<unknown> => {
  await setLeased(running, "leased_until = facteur_now() - interval '1 second'")
  return releaseLostRecipients(db, running.key, 100)
}
const suppressFirst = ({ key: { workspaceId }, claimed }: Running) =>
  suppressAddress(service, {
    workspaceId,
    entry: { email: claimed[0]?.email ?? '', reason: 'manual', sourceId: null },
  })

const feedback =
  (kind: Parameters<typeof newsFrom>[1]) =>
  async ({ key: { workspaceId, campaignId }, claimed, sent }: Running): Promise<void> => {
    for (const subscriberId of [...claimed.map((row) => row.subscriberId), sent])
      await recordFeedback(service, {
        workspaceId,
        feedback: [newsFrom({ campaignId, subscriberId }, kind)],
      })
  }

const request = async (
  { key, claimed, sent }: Running,
  kind: 'open' | 'click',
  userAgent = browser,
): Promise<void> => {
  for (const subscriberId of [...claimed.map((row) => row.subscriberId), sent])
    await recordRequest({
      subject: { of: 'campaign', ...key, subscriberId },
      ...{
        kind,
        link: kind === 'click' ? 0 : null,
        method: 'GET',
        headers: { 'user-agent': userAgent },
        address: '127.0.0.1',
      },
    })
}

const refused: Outcome = { event: 'failed', error: '554 no', response: '554 no' }
const bounced: Outcome = {
  event: 'bounced',
  error: '550 5.1.1 no',
  response: '550 5.1.1 no',
  bounce: 'hard',
}
const deferred: Outcome = { event: 'deferred', response: '451 later', bounce: 'soft' }
const inDoubtOutcome: Outcome = { event: 'in_doubt' }
const copy = {
  id: '01990000-0000-7000-8000-00000000c0de',
  raw: Buffer.from('mail'),
  returnPath: 'b@example.com',
  pending: 'delivered',
}

/** The steps that change the three claimed recipients; the counters are compared after each. */
const transitions: Record<string, ((running: Running) => Promise<unknown>)[]> = {
  'handed over': [
    ({ key, claimed }) =>
      recordAndClaim(db, key, {
        sent: claimed.map((row) => ({ ...row, response: '' })),
        max: 9,
        leaseSeconds: 90,
      }),
  ],
  'captured, refused, bounced': [outcome({ event: 'sent', copy }, refused, bounced)],
  'deferred, postponed, returned, and claimed again': [
    outcome(deferred, { event: 'postponed', waitSeconds: 0 }, { event: 'returned' }),
    claimAgain,
  ],
  'in doubt, and threw': [outcome(inDoubtOutcome, { event: 'threw', error: 'why' })],
  spent: [outliveQueue, outcome(deferred, { event: 'postponed', waitSeconds: 9 })],
  parked: [
    (running) => setLeased(running, 'troubles = 2'),
    outcome({ event: 'threw', error: 'why' }),
  ],
  'lost, and in doubt': [loseWorker],
  'lost, and parked': [(running) => setLeased(running, 'troubles = 2'), loseWorker],
  'lost after feedback': [feedback('delivered'), loseWorker],
  'suppressed when claimed': [
    unsubscribeAll,
    ({ key }) => recordAndClaim(db, key, { sent: [], max: 9, leaseSeconds: 90 }),
  ],
  'suppressed when claimed again': [
    outcome({ event: 'returned' }, { event: 'returned' }),
    unsubscribeAll,
    claimAgain,
  ],
  'an address is suppressed': [outcome({ event: 'returned' }), suppressFirst],
  'cancelled, and its claimed ones end': [
    ({ key: { workspaceId, campaignId } }) =>
      callVerb(service, workspaceId, 'cancelCampaign', { params: { id: campaignId } }),
    outcome({ event: 'returned' }, refused, inDoubtOutcome),
    ({ key }) => finalizeCancelledRest(service, key),
  ],
  'cancelled, and a contact of it erased': [
    ({ key: { workspaceId, campaignId } }) =>
      callVerb(service, workspaceId, 'cancelCampaign', { params: { id: campaignId } }),
    ({ key: { workspaceId } }) =>
      eraseContact(service, { workspaceId, email: 'person6@example.com' }),
  ],
  'failed ones are tried again': [
    outcome(refused, refused),
    ({ key: { workspaceId, campaignId } }) =>
      callVerb(service, workspaceId, 'retryFailedRecipients', { params: { id: campaignId } }),
    claimAgain,
  ],
  'those in doubt are released': [
    outcome(inDoubtOutcome, inDoubtOutcome),
    ({ key: { workspaceId, campaignId } }) =>
      callVerb(service, workspaceId, 'releaseInDoubtRecipients', { params: { id: campaignId } }),
    claimAgain,
  ],
  ...Object.fromEntries(
    (['delivered', 'bounced', 'complained', 'failed'] as const).flatMap((kind) => [
      [
        `${kind} by feedback, while pending, in doubt, failed and sent`,
        [outcome({ event: 'returned' }, inDoubtOutcome, refused), feedback(kind)],
      ],
      [
        `${kind} by feedback, before the outcomes`,
        [feedback(kind), outcome({ event: 'sent', copy }, refused, bounced)],
      ],
      [
        `${kind} by feedback, before other outcomes`,
        [feedback(kind), outcome(deferred, inDoubtOutcome, { event: 'threw', error: 'why' })],
      ],
      [
        `${kind} by feedback, and opened before`,
        [
          (running: Running) => request(running, 'click'),
          feedback(kind),
          outcome(bounced, bounced, bounced),
        ],
      ],
    ]),
  ),
  'opened while pending, in doubt, failed and sent': [
    outcome({ event: 'returned' }, inDoubtOutcome, refused),
    (running) => request(running, 'open'),
  ],
  'clicked, and bounced by our own attempt afterwards': [
    (running) => request(running, 'click'),
    outcome(bounced, refused, { event: 'sent' }),
  ],
  'opened after it was suppressed': [
    outcome({ event: 'returned' }),
    suppressFirst,
    (running) => request(running, 'open'),
  ],
  'assumed delivered': [
    ({ key: { workspaceId, campaignId } }) =>
      scheduleAssumedDelivery(db, workspaceId, campaignId, 0),
    ({ key: { workspaceId } }) =>
      assumeCampaignMailDelivered(service, { workspaceId, limits: { silenceSeconds: 0, max: 10 } }),
  ],
  unsubscribed: [
    ({ key: { workspaceId, campaignId }, sent }) =>
      markUnsubscribed(db, workspaceId, { campaignId, subscriberId: sent }),
  ],
  erased: [
    outcome(refused, bounced, inDoubtOutcome),
    ({ key: { workspaceId }, claimed }) =>
      eraseContact(service, { workspaceId, email: claimed[0]?.email ?? '' }),
  ],
}

for (const [nth, [name, steps]] of Object.entries(transitions).entries()) {
  test(`counters equal a recount: ${name}`, async () => {
    const shop = await world.workspace(`counted ${nth}`)
    await addSubscribers(world, shop, 6)
    const campaignId = await draftOf(world, shop)
    assert.equal((await send(world, shop, campaignId)).status, 202)
    const key = { workspaceId: shop.id, campaignId }
    const [first, ...claimed] = (
      await recordAndClaim(db, key, { sent: [], max: 4, leaseSeconds: 90 })
    ).claimed
    assert.ok(first)
    await recordAndClaim(db, key, {
      sent: [{ ...first, response: '250 ok' }],
      max: 0,
      leaseSeconds: 90,
    })
    await db.count(
      sql`update campaign set sent_at = facteur_now() where workspace_id = ${shop.id} and id = ${campaignId}`,
    )
    for (const [index, step] of steps.entries()) {
      await step({ key, claimed, sent: first.subscriberId })
      const { recipients, pending, sent, failed, suppressed, inDoubt } = await campaignRow(
        world,
        shop,
        campaignId,
      )
      assert.equal(
        pending + sent + failed + suppressed + inDoubt,
        recipients,
        `after step ${index}`,
      )
      assert.equal(await recountCampaign(db, key), 0, `after step ${index}`)
    }
  })
}
