/**
 * A statement that publishes nothing writes nothing where a webhook subscribes: it answers so by a
 * row, and no statement fails (core/events/change-and-publish.ts).
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EventType } from '../../../src/contract/events.ts'
import { recordAndClaim } from '../../../src/db/campaigns/campaign-claims.ts'
import { recordCampaignOutcomes } from '../../../src/db/campaigns/campaign-outcomes.ts'
import { sql } from '../../../src/database/client/sql.ts'
import { WebhookSubscribes } from '../../../src/db/webhooks/subscription-check.ts'
import {
  assumeCampaignDelivered,
  scheduleAssumedDelivery,
} from '../../../src/db/feedback/campaign-assumed-delivery.ts'
import { assumeMessagesDelivered } from '../../../src/db/feedback/feedback.ts'
import { recordOutcomes } from '../../../src/db/sending/outcomes.ts'
import { recordCampaignEngagement } from '../../../src/db/tracking/campaign-engagement.ts'
import { recordMessageEngagement } from '../../../src/db/tracking/message-engagement.ts'
import { outcomeRules } from '../../../src/core/sending/record-outcome.ts'
import { addSubscribers, draftOf, send } from '../../support/campaign-world.ts'
import { handedOver, startRelayWorld } from '../../support/relay-world.ts'

/** Nothing leaves by itself. */
const world = await startRelayWorld()
const { db } = world.service
const shop = await world.workspace('shop')
const { id: workspaceId } = shop
await addSubscribers(world, shop, 4)
const campaign = { workspaceId, campaignId: await draftOf(world, shop) }
assert.equal((await send(world, shop, campaign.campaignId)).status, 202)
const { claimed } = await recordAndClaim(db, campaign, { sent: [], max: 2, leaseSeconds: 90 })
const [first, second] = [claimed[0] ?? assert.fail(), claimed[1] ?? assert.fail()]
await scheduleAssumedDelivery(db, workspaceId, campaign.campaignId, 0)
await handedOver(world, shop)
await world.run(`update recipient set sent_at = sent_at - interval '1 hour'`)
const leased = await handedOver(world, shop, { subject: 'leased' })
await world.run(
  `update recipient set state = 'leased', status = 'queued' where message_id = '${leased}'`,
)
await world.run(`insert into webhook (workspace_id, id, name, url, host, events, secret, created_at, updated_at) values
  (${workspaceId}, gen_random_uuid(), '', 'https://example.com/', 'example.com', '{email.sent,email.delivered}', '', facteur_now(), facteur_now())`)

const outcome = { event: 'sent', error: null, response: '250 ok', copy: null } as const
const open = {
  id: world.service.makeId(),
  kind: 'open',
  link: null,
  visitor: 'person',
  device: '',
  os: '',
  client: '',
  userAgent: '',
  address: '127.0.0.1',
} as const
const rules = (unsubscribedTypes: readonly EventType[]) => ({
  ...outcomeRules(world.service, workspaceId),
  unsubscribedTypes,
})
const silence = { silenceSeconds: 900, max: 9 }

const changes: Record<string, (unsubscribedTypes: readonly EventType[]) => Promise<unknown>> = {
  'outcomes of single messages': (types) =>
    recordOutcomes(
      db,
      workspaceId,
      [{ messageId: leased, position: 0, fence: 1, ...outcome }],
      rules(types),
    ),
  'outcomes of a campaign': (types) =>
    recordCampaignOutcomes(db, campaign, [{ ...first, ...outcome }], rules(types)),
  'an accepted batch, with the claim of the next one': (types) =>
    recordAndClaim(db, campaign, {
      ...{
        sent: [{ ...second, response: '250 ok' }],
        max: 1,
        leaseSeconds: 90,
        unsubscribedTypes: types,
      },
    }),
  'an open of a campaign': (types) =>
    recordCampaignEngagement(
      db,
      workspaceId,
      [{ ...open, campaignId: campaign.campaignId, subscriberId: first.subscriberId }],
      types,
    ),
  'an open of a message': (types) =>
    recordMessageEngagement(
      db,
      workspaceId,
      [{ ...open, id: world.service.makeId(), messageId: leased, position: 0 }],
      types,
    ),
  'assumed deliveries of messages': (types) =>
    assumeMessagesDelivered(db, workspaceId, { ...silence, from: null, unsubscribedTypes: types }),
  'assumed deliveries of a campaign': (types) =>
    assumeCampaignDelivered(db, workspaceId, { ...silence, unsubscribedTypes: types }),
}

/** The version of each row that these statements write. */
const versions = (): Promise<string[]> =>
  db.column(sql`
    select 'recipient ' || xmin || ' ' || message_id from recipient union all
    select 'campaign_recipient ' || xmin || ' ' || subscriber_id from campaign_recipient union all
    select 'campaign_run ' || xmin from campaign_run union all
    select 'campaign_assumed_delivery ' || xmin from campaign_assumed_delivery union all
    select 'campaign_tally ' || xmin || measure from campaign_tally union all
    select 'reputation_day ' || xmin from reputation_day union all
    select 'engagement ' || id from engagement order by 1`)

for (const [what, change] of Object.entries(changes))
  test(`${what}: nothing is written where a webhook subscribes, and all where none does`, async () => {
    const before = await versions()
    await assert.rejects(
      change(['email.opened', 'email.delivered', 'email.sent']),
      WebhookSubscribes,
    )
    assert.deepEqual(await versions(), before)
    await change(['email.opened'])
    assert.notDeepEqual(await versions(), before)
  })
