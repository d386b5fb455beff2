/**
 * A recount from the rows gives the running counts; it corrects wrong ones and disturbs nothing.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { recordFeedback } from '../../../src/core/feedback/record-feedback.ts'
import {
  createRecordEngagement,
  type EngagementRequest,
} from '../../../src/core/tracking/record-engagement.ts'
import { recountCampaign } from '../../../src/db/campaigns/campaign-recount.ts'
import { assumeCampaignMailDelivered } from '../../../src/core/feedback/assume-delivered.ts'
import { scheduleAssumedDelivery } from '../../../src/db/feedback/campaign-assumed-delivery.ts'
import { markUnsubscribed } from '../../../src/db/campaigns/campaign-tallies.ts'
import { createDatabase } from '../../../src/database/client/database.ts'
import { sql } from '../../../src/database/client/sql.ts'
import type { Connection } from '../../../src/database/client/connect.ts'
import { startApi } from '../../support/api.ts'
import {
  browser,
  filter,
  gmailRelay,
  progress,
  sentCampaign,
  tallies,
  type SentCampaign,
} from '../../support/tracking-world.ts'
import { newsFrom } from '../../support/feedback.ts'

const api = await startApi({ workers: false })
const workspace = await api.workspace('recounted')
const { service } = api
const recordEngagement = createRecordEngagement(service)

const requestOf = (
  campaign: SentCampaign,
  contact: number,
  more: Partial<EngagementRequest> = {},
): EngagementRequest => ({
  subject: {
    of: 'campaign',
    workspaceId: workspace.id,
    campaignId: campaign.id,
    subscriberId: campaign.contacts[contact] ?? '',
  },
  ...{
    kind: 'open',
    link: null,
    method: 'GET',
    headers: { 'user-agent': browser },
    address: '127.0.0.1',
  },
  ...more,
})

const reader = fc.nat({ max: 7 })
const event = fc.oneof(
  fc.record({
    kind: fc.constant('open' as const),
    person: reader,
    userAgent: fc.constantFrom(browser, gmailRelay, filter, 'Mozilla/5.0'),
  }),
  fc.record({
    kind: fc.constant('click' as const),
    person: reader,
    link: fc.nat({ max: 5 }),
    userAgent: fc.constantFrom(browser, filter),
  }),
  fc.record({
    kind: fc.constant('news' as const),
    person: reader,
    status: fc.constantFrom(
      'sent' as const,
      'delivered' as const,
      'bounced' as const,
      'complained' as const,
      'failed' as const,
    ),
  }),
  fc.record({ kind: fc.constant('leave' as const), person: reader }),
  fc.record({ kind: fc.constant('silence' as const) }),
)
type Event = typeof event extends fc.Arbitrary<infer E> ? E : never

async function happen(campaign: SentCampaign, item: Event): Promise<unknown> {
  if (item.kind === 'silence')
    return assumeCampaignMailDelivered(service, {
      workspaceId: workspace.id,
      limits: { silenceSeconds: 0, max: 3 },
    })
  const who = { campaignId: campaign.id, subscriberId: campaign.contacts[item.person] ?? '' }
  if (item.kind === 'leave') return markUnsubscribed(service.db, workspace.id, who)
  if (item.kind === 'news') {
    return recordFeedback(service, {
      workspaceId: workspace.id,
      feedback: [newsFrom(who, item.status)],
    })
  }
  const click = item.kind === 'click' ? { kind: item.kind, link: item.link } : {}
  return recordEngagement(
    requestOf(campaign, item.person, { ...click, headers: { 'user-agent': item.userAgent } }),
  )
}

const links = Array.from({ length: 6 }, (_, index) => `https://example.com/${index}`)
const startings = fc.constantFrom(
  { state: 'settled', status: 'sent' },
  { state: 'in_doubt', status: 'queued' },
  { state: 'pending', status: 'queued' },
  { state: 'settled', status: 'failed' },
)

test('after any events, at once and in any order, a recount changes nothing, and progress adds up', async () => {
  await fc.assert(
    fc.asyncProperty(
      startings,
      fc.constantFrom(0, 3600),
      fc.array(fc.array(event, { maxLength: 12 }), { maxLength: 4 }),
      async (row, secondsAgo, batches) => {
        const campaign = await sentCampaign(api, workspace, { contacts: 8, links, secondsAgo, row })
        await scheduleAssumedDelivery(service.db, workspace.id, campaign.id, 0)
        for (const batch of batches) {
          await Promise.all(batch.map((item) => happen(campaign, item)))
          const {
            pending = 0,
            sent = 0,
            failed = 0,
            suppressed = 0,
            in_doubt = 0,
          } = await progress(api, workspace, campaign.id)
          assert.equal(pending + sent + failed + suppressed + in_doubt, 8)
        }
        const before = [
          await tallies(api, workspace, campaign.id),
          await progress(api, workspace, campaign.id),
        ]
        const { delivered = 0, opened = 0, clicked = 0, bounced = 0, relayed = 0 } = before[0] ?? {}
        assert.ok(
          clicked <= opened && relayed <= opened && opened <= delivered && delivered + bounced <= 8,
          JSON.stringify(before),
        )
        assert.equal(
          await recountCampaign(service.db, { workspaceId: workspace.id, campaignId: campaign.id }),
          0,
        )
        assert.deepEqual(
          [await tallies(api, workspace, campaign.id), await progress(api, workspace, campaign.id)],
          before,
        )
        await service.db.count(
          sql`delete from campaign_assumed_delivery where workspace_id = ${workspace.id}`,
        )
      },
    ),
    { numRuns: 60 },
  )
})

test('counters that are wrong, missing or of nothing become what the rows say', async () => {
  const campaign = await sentCampaign(api, workspace, { contacts: 5, links })
  for (const [at, link] of [0, 1, 1, 2].entries())
    await recordEngagement(requestOf(campaign, at, { kind: 'click', link }))
  const right = [
    await tallies(api, workspace, campaign.id),
    await progress(api, workspace, campaign.id),
  ]
  await api.run(
    `update campaign_tally set count = count + 7 where campaign_id = '${campaign.id}' and measure = 'opened'`,
  )
  await api.run(
    `delete from campaign_tally where campaign_id = '${campaign.id}' and measure = 'link'`,
  )
  await api.run(
    `insert into campaign_tally values (${workspace.id}, '${campaign.id}', 'device', 'Fridge', 3)`,
  )
  await api.run(
    `update campaign_run set sent = 1, in_doubt = 99 where campaign_id = '${campaign.id}'`,
  )
  // Three at once: what one mends, the others do not mend again.
  const mended = await Promise.all(
    [1, 2, 3].map(() =>
      recountCampaign(service.db, { workspaceId: workspace.id, campaignId: campaign.id }),
    ),
  )
  assert.deepEqual(mended.toSorted(), [0, 0, 1 + 1 + 3 + 2])
  assert.deepEqual(
    [await tallies(api, workspace, campaign.id), await progress(api, workspace, campaign.id)],
    right,
  )
  assert.equal(
    await recountCampaign(service.db, { workspaceId: workspace.id, campaignId: campaign.id }),
    0,
  )
})

test('a recount while opens, clicks and feedback come loses nothing and counts nothing twice', async () => {
  const contacts = 40
  const campaign = await sentCampaign(api, workspace, { contacts, links })
  const requests = Array.from({ length: contacts * 4 }, (_, index) =>
    recordEngagement(requestOf(campaign, index % contacts, { kind: 'click', link: index % 3 })),
  )
  const news = campaign.contacts.map((subscriberId) =>
    recordFeedback(service, {
      workspaceId: workspace.id,
      feedback: [newsFrom({ campaignId: campaign.id, subscriberId }, 'delivered')],
    }),
  )
  const recounts = Array.from({ length: 10 }, () =>
    recountCampaign(service.db, { workspaceId: workspace.id, campaignId: campaign.id }),
  )
  await Promise.all([...requests, ...news, ...recounts])
  const counted = await tallies(api, workspace, campaign.id)
  assert.partialDeepStrictEqual(counted, {
    opened: contacts,
    clicked: contacts,
    delivered: contacts,
  })
  assert.equal(
    await recountCampaign(service.db, { workspaceId: workspace.id, campaignId: campaign.id }),
    0,
  )
})

test('a recount finds nothing wrong though an open comes after each of its statements', async () => {
  const campaign = await sentCampaign(api, workspace, { contacts: 20, links })
  let come = 0
  const meanwhile = async <T>(result: T): Promise<T> => {
    await recordEngagement(requestOf(campaign, come++, { kind: 'click', link: 0 }))
    return result
  }
  const beside: Connection = {
    ...service.db,
    transaction: (work) =>
      service.db.transaction((tx) =>
        work(createDatabase(async (statement) => meanwhile(await tx.ask(statement)))),
      ),
  }
  assert.equal(
    await recountCampaign(beside, { workspaceId: workspace.id, campaignId: campaign.id }),
    0,
  )
  assert.ok(come > 5)
  assert.partialDeepStrictEqual(await tallies(api, workspace, campaign.id), {
    clicked: come,
    'link/0': come,
  })
})

test('a campaign that was not frozen, and one of another workspace, have nothing to count', async () => {
  const stranger = await api.workspace('recounted by a stranger')
  const campaign = await sentCampaign(api, workspace)
  assert.equal(
    await recountCampaign(service.db, { workspaceId: stranger.id, campaignId: campaign.id }),
    null,
  )
  assert.equal(
    await recountCampaign(service.db, { workspaceId: workspace.id, campaignId: service.makeId() }),
    null,
  )
})
