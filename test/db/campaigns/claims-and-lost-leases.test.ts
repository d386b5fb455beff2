/**
 * Claims of a campaign, at their statements: recipients that may not be claimed, leases that ended,
 * and when a recipient is given up.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { claimStrays, recordAndClaim } from '../../../src/db/campaigns/campaign-claims.ts'
import { releaseLostRecipients } from '../../../src/db/campaigns/campaign-leases.ts'
import { recordCampaignOutcomes } from '../../../src/db/campaigns/campaign-outcomes.ts'
import type { TestWorkspace } from '../../support/api.ts'
import {
  addSubscribers,
  campaignRow,
  draftOf,
  recipientsOf,
  send,
} from '../../support/campaign-world.ts'
import { startRelayWorld } from '../../support/relay-world.ts'

const still = await startRelayWorld()

const sumOf = ({
  pending,
  sent,
  failed,
  suppressed,
  inDoubt,
}: Awaited<ReturnType<typeof campaignRow>>): number =>
  pending + sent + failed + suppressed + inDoubt

async function frozen(shop: TestWorkspace, contacts: number, domain?: string): Promise<string> {
  await addSubscribers(still, shop, contacts, domain)
  const id = await draftOf(still, shop)
  assert.equal((await send(still, shop, id)).status, 202)
  return id
}

test('given up after four days of temporary refusals', async () => {
  const shop = await still.workspace('spent')
  const id = await frozen(shop, 2)
  const key = { workspaceId: shop.id, campaignId: id }
  const { claimed } = await recordAndClaim(still.service.db, key, {
    sent: [],
    max: 1,
    leaseSeconds: 90,
  })
  const [row] = claimed
  assert.ok(row)
  const rules = {
    retryFirstSeconds: 5 * 86_400,
    retryMaxSeconds: 5 * 86_400,
    queueLifeSeconds: 4 * 86_400,
    pendingSeconds: 1,
  }
  await recordCampaignOutcomes(
    still.service.db,
    key,
    [{ ...row, event: 'deferred', error: null, response: '451 4.0.0 later', copy: null }],
    rules,
  )
  const [after] = await recipientsOf(still, shop, id)
  assert.deepEqual(
    [after?.state, after?.status, after?.error],
    ['settled', 'failed', 'gave up after the last temporary refusal: 451 4.0.0 later'],
  )
})

test('a lease that ends unseen is in doubt and is not claimed again; its holder writes nothing any more', async () => {
  const shop = await still.workspace('lost')
  const id = await frozen(shop, 5)
  const key = { workspaceId: shop.id, campaignId: id }
  const { claimed } = await recordAndClaim(still.service.db, key, {
    sent: [],
    max: 3,
    leaseSeconds: 0,
  })
  assert.equal(claimed.length, 3)
  assert.partialDeepStrictEqual(await releaseLostRecipients(still.service.db, key, 100), {
    lost: 3,
    more: false,
  })
  assert.deepEqual(
    (await recipientsOf(still, shop, id)).map(({ state }) => state),
    ['in_doubt', 'in_doubt', 'in_doubt', 'pending', 'pending'],
  )
  const sent = claimed.map((row) => ({ ...row, response: '250 ok' }))
  const next = await recordAndClaim(still.service.db, key, { sent, max: 10, leaseSeconds: 90 })
  assert.deepEqual(
    next.claimed.map(({ email }) => email),
    ['person4@example.com', 'person5@example.com'],
  )
  const state = await campaignRow(still, shop, id)
  assert.deepEqual([state.pending, state.inDoubt, state.sent], [2, 3, 0])
  assert.equal(sumOf(state), state.recipients)
  assert.deepEqual(
    (await claimStrays(still.service.db, key, { max: 10, leaseSeconds: 90 })).claimed,
    [],
  )
})

test('feedback that overtakes the outcome stays: a recipient who is delivered is not set back to sent', async () => {
  const shop = await still.workspace('overtaken')
  const id = await frozen(shop, 2)
  const key = { workspaceId: shop.id, campaignId: id }
  const request = { sent: [], max: 2, leaseSeconds: 90 }
  const { claimed } = await recordAndClaim(still.service.db, key, request)
  await still.run(
    `update campaign_recipient set status = 'delivered' where campaign_id = '${id}' and subscriber_id = '${claimed[0]?.subscriberId}'`,
  )
  const sent = claimed.map((row) => ({ ...row, response: '250 ok' }))
  await recordAndClaim(still.service.db, key, { ...request, sent })
  assert.deepEqual(
    (await recipientsOf(still, shop, id)).map(({ state, status }) => [state, status]),
    [
      ['settled', 'delivered'],
      ['settled', 'sent'],
    ],
  )
})

test('a claim does not pass over a window that another holds: a recipient lost later is found', async () => {
  const shop = await still.workspace('window')
  const id = await frozen(shop, 6)
  const key = { workspaceId: shop.id, campaignId: id }
  await recordAndClaim(still.service.db, key, { sent: [], max: 2, leaseSeconds: 90 })
  await recordAndClaim(still.service.db, key, { sent: [], max: 2, leaseSeconds: 0 })
  assert.partialDeepStrictEqual(
    await releaseLostRecipients(still.service.db, key, 2),
    { lost: 0, more: false },
    'the first two are held',
  )
  assert.partialDeepStrictEqual(await releaseLostRecipients(still.service.db, key, 4), {
    lost: 2,
    more: false,
  })
  await still.run(
    `update campaign_recipient set leased_until = facteur_now() where state = 'leased'`,
  )
  assert.partialDeepStrictEqual(await releaseLostRecipients(still.service.db, key, 2), {
    lost: 2,
    more: true,
  })
  assert.partialDeepStrictEqual(await releaseLostRecipients(still.service.db, key, 2), {
    lost: 0,
    more: true,
  })
  assert.partialDeepStrictEqual(await releaseLostRecipients(still.service.db, key, 2), {
    lost: 0,
    more: false,
  })
})

test('a recipient whom a claim finds suppressed, or no longer subscribed, is completed with the reason', async () => {
  const shop = await still.workspace('suppressed')
  const id = await frozen(shop, 5)
  await still.run(`insert into suppression (workspace_id, email, id, reason, created_at)
    values (${shop.id}, 'person1@example.com', gen_random_uuid(), 'complaint', facteur_now())`)
  await still.suppressOnPlatform('person2@example.com')
  await still.run(
    `update subscriber set status = 'unsubscribed' where workspace_id = ${shop.id} and email = 'person3@example.com'`,
  )
  await still.run(
    `delete from subscriber where workspace_id = ${shop.id} and email = 'person4@example.com'`,
  )
  const key = { workspaceId: shop.id, campaignId: id }
  const { claimed } = await recordAndClaim(still.service.db, key, {
    sent: [],
    max: 10,
    leaseSeconds: 90,
  })
  assert.deepEqual(
    claimed.map(({ email }) => email),
    ['person5@example.com'],
  )
  assert.deepEqual(
    (await recipientsOf(still, shop, id)).map(({ status, error }) => [status, error]),
    [
      ['suppressed', 'suppressed: complaint'],
      ['suppressed', 'suppressed: manual'],
      ['suppressed', 'suppressed: unsubscribed'],
      ['suppressed', 'suppressed: erased'],
      ['queued', null],
    ],
  )
  const state = await campaignRow(still, shop, id)
  assert.deepEqual([state.pending, state.suppressed], [1, 4])
})
