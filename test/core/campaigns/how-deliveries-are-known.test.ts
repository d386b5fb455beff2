/**
 * Statistics say how each delivery is known: by a report, by an open or a click, or by silence
 * alone.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assumeCampaignMailDelivered } from '../../../src/core/feedback/assume-delivered.ts'
import { recordFeedback } from '../../../src/core/feedback/record-feedback.ts'
import { createRecordEngagement } from '../../../src/core/tracking/record-engagement.ts'
import { callVerb } from '../../support/call-verb.ts'
import { newsFrom } from '../../support/feedback.ts'
import { newsTurn, handedOver, read, startRelayWorld } from '../../support/relay-world.ts'
import { addSubscribers, draftOf, send, untilSent } from '../../support/campaign-world.ts'
import { browser } from '../../support/tracking-world.ts'
import { until } from '../../support/until.ts'

const world = await startRelayWorld({ workers: true, settings: { deliveredAfterSeconds: 900 } })
const { service } = world

const subscriber = (n: number): string =>
  `01990000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`

test('a campaign: all parts add up to the delivered, and each proof moves a recipient from the assumed', async () => {
  const workspace = await world.workspace('known')
  await addSubscribers(world, workspace, 10, workspace.domain)
  const id = await draftOf(world, workspace)
  await send(world, workspace, id)
  await untilSent(world, workspace, id)
  const report = (n: number, kind: 'delivered' | 'bounced' | 'complained') =>
    recordFeedback(service, {
      workspaceId: workspace.id,
      feedback: [newsFrom({ campaignId: id, subscriberId: subscriber(n) }, kind)],
    })
  const record = createRecordEngagement(service)
  const open = (n: number) =>
    record({
      subject: {
        of: 'campaign',
        workspaceId: workspace.id,
        campaignId: id,
        subscriberId: subscriber(n),
      },
      ...{
        kind: 'open',
        link: null,
        method: 'GET',
        headers: { 'user-agent': browser },
        address: '127.0.0.1',
      },
    })
  const known = async () => {
    const { counts, delivery } = await callVerb(service, workspace.id, 'getCampaignStats', {
      params: { id },
    })
    assert.ok(delivery)
    assert.equal(delivery.reported + delivery.engaged + delivery.assumed, counts.delivered)
    return delivery
  }
  assert.deepEqual(await known(), { reported: 0, engaged: 0, assumed: 0, assumedShare: null })
  await report(1, 'delivered')
  await open(2)
  assert.partialDeepStrictEqual(await known(), { reported: 1, engaged: 1, assumed: 0 })
  await world.moveClock('20 minutes')
  while (
    (await assumeCampaignMailDelivered(service, {
      workspaceId: workspace.id,
      limits: { silenceSeconds: 900, max: 100 },
    })) > 0
  );
  assert.deepEqual(await known(), { reported: 1, engaged: 1, assumed: 8, assumedShare: 0.8 })
  await open(3)
  await report(4, 'delivered')
  await report(5, 'bounced')
  await report(6, 'complained')
  assert.deepEqual(await known(), { reported: 3, engaged: 2, assumed: 4, assumedShare: 4 / 9 })
  // An open that is known by a report, too, stays what it was.
  await open(1)
  await report(3, 'delivered')
  assert.partialDeepStrictEqual(await known(), { reported: 3, engaged: 2, assumed: 4 })
  const { delivery } = await callVerb(service, workspace.id, 'getCampaignResults', {
    params: { id },
  })
  assert.deepEqual(delivery, await known())
  // A list that an older version froze has no such counter.
  await world.run(`delete from campaign_tally where campaign_id = '${id}' and measure = 'assumed'`)
  const { delivery: older } = await callVerb(service, workspace.id, 'getCampaignStats', {
    params: { id },
  })
  assert.equal(older, null)
  await report(7, 'delivered')
  const { delivery: still } = await callVerb(service, workspace.id, 'getCampaignStats', {
    params: { id },
  })
  assert.equal(still, null)
  await world.moveClock('0 seconds')
})

test('single mails: the overview says how many of a day are assumed; an open of one proves it', async () => {
  const workspace = await world.workspace('known singles')
  const [first, second] = [
    await handedOver(world, workspace, { html: '<p>1</p>', track_opens: true }),
    await handedOver(world, workspace, { html: '<p>2</p>', track_opens: true }),
  ]
  await world.moveClock('20 minutes')
  await newsTurn(world, workspace)
  await createRecordEngagement(service)({
    subject: { of: 'message', workspaceId: workspace.id, messageId: first, position: 0 },
    ...{
      kind: 'open',
      link: null,
      method: 'GET',
      headers: { 'user-agent': browser },
      address: '127.0.0.1',
    },
  })
  assert.partialDeepStrictEqual(await read(world, workspace, first), {
    recipients: [{ delivered_by: 'open' }],
  })
  assert.partialDeepStrictEqual(await read(world, workspace, second), {
    recipients: [{ delivered_by: 'silence' }],
  })
  // A call answers before a busy machine has counted; the twenty minutes may lie about midnight.
  const day = await until(
    async () =>
      (await callVerb(service, workspace.id, 'getOverview')).period.each.find(
        ({ counts }) => counts?.delivered === 2,
      ),
    (result) => result !== undefined,
  )
  assert.partialDeepStrictEqual(day?.counts, { delivered: 2, assumed: 1 })
  await world.run(`update mail_part set assumed = null where workspace_id = ${workspace.id}`)
  await world.moveClock('0 seconds')
})
