/**
 * Rules of the campaign's own path, one by one at their statements: each has a test that fails when
 * the rule is taken away.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { completeIfDone } from '../../../src/core/campaigns/maintain-campaign.ts'
import { leaseClaim, renewClaims } from '../../../src/core/campaigns/campaign-hand-off.ts'
import { createLeases } from '../../../src/core/sending/leases.ts'
import { CampaignRecords } from '../../../src/core/campaigns/campaign-records.ts'
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
import { sql } from '../../../src/database/client/sql.ts'
import { callVerb } from '../../support/call-verb.ts'
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
const rules = {
  retryFirstSeconds: 60,
  retryMaxSeconds: 3_600,
  queueLifeSeconds: 4 * 86_400,
  pendingSeconds: 1,
}

async function frozen(shop: TestWorkspace, contacts: number): Promise<CampaignKey> {
  await addSubscribers(world, shop, contacts)
  const campaignId = await draftOf(world, shop)
  assert.equal((await send(world, shop, campaignId)).status, 202)
  return { workspaceId: shop.id, campaignId }
}

const claim = async (key: CampaignKey, max: number): Promise<ClaimedSubscriber[]> =>
  (await recordAndClaim(db, key, { sent: [], max, leaseSeconds: 90 })).claimed

const record = (
  key: CampaignKey,
  rows: ClaimedSubscriber[],
  outcome: Partial<CampaignOutcome> & Pick<CampaignOutcome, 'event'>,
) =>
  recordCampaignOutcomes(
    db,
    key,
    rows.map((row) => ({ ...row, error: null, response: null, copy: null, ...outcome })),
    rules,
  )

/** All were claimed once and came back: they stray, and are due. */
async function astray(shop: TestWorkspace, contacts: number): Promise<CampaignKey> {
  const key = await frozen(shop, contacts)
  await record(key, await claim(key, contacts), { event: 'returned' })
  return key
}

const strays = async (key: CampaignKey) =>
  (await claimStrays(db, key, { max: 10, leaseSeconds: 90 })).claimed
const emails = (rows: { email: string }[]): string[] => rows.map(({ email }) => email).toSorted()

test('a recipient to try again whom a claim finds suppressed, or no longer subscribed, is completed with the reason', async () => {
  const shop = await world.workspace('suppressed strays')
  const key = await astray(shop, 5)
  await world.run(`insert into suppression (workspace_id, email, id, reason, created_at)
    values (${shop.id}, 'person1@example.com', gen_random_uuid(), 'complaint', facteur_now())`)
  await world.suppressOnPlatform('person2@example.com')
  await world.run(
    `update subscriber set status = 'unsubscribed' where workspace_id = ${shop.id} and email = 'person3@example.com'`,
  )
  await world.run(
    `delete from subscriber where workspace_id = ${shop.id} and email = 'person4@example.com'`,
  )
  assert.deepEqual(emails(await strays(key)), ['person5@example.com'])
  assert.deepEqual(
    (await recipientsOf(world, shop, key.campaignId)).map(({ status, error }) => [status, error]),
    [
      ['suppressed', 'suppressed: complaint'],
      ['suppressed', 'suppressed: manual'],
      ['suppressed', 'suppressed: unsubscribed'],
      ['suppressed', 'suppressed: erased'],
      ['queued', null],
    ],
  )
  const { pending, suppressed } = await campaignRow(world, shop, key.campaignId)
  assert.deepEqual([pending, suppressed], [1, 4])
  await world.run(`delete from platform_suppression`)
})

test('paused: no recipient is claimed, neither of the list nor of those to retry', async () => {
  const shop = await world.workspace('paused claims')
  const key = await frozen(shop, 6)
  await record(key, await claim(key, 3), { event: 'returned' })
  await callVerb(world.service, shop.id, 'pauseCampaign', { params: { id: key.campaignId } })
  assert.deepEqual(await strays(key), [])
  assert.deepEqual(await claim(key, 10), [])
})

test('a claim takes at most one recipient that was in trouble before', async () => {
  const shop = await world.workspace('troubled strays')
  const key = await astray(shop, 6)
  await world.run(
    `update campaign_recipient set troubles = 1 where campaign_id = '${key.campaignId}' and email = any ('{person1@example.com,person2@example.com,person3@example.com}')`,
  )
  const troubledOf = (rows: { email: string }[]) =>
    rows.filter(({ email }) => /person[123]@/.test(email)).length
  const first = await strays(key)
  assert.deepEqual([first.length, troubledOf(first)], [4, 1])
  const second = await strays(key)
  assert.deepEqual([second.length, troubledOf(second)], [1, 1])
})

test('a lease that is renewed while the search for lost ones waits is not taken for lost', async () => {
  const shop = await world.workspace('renewed meanwhile')
  const key = await frozen(shop, 2)
  const [row] = await claim(key, 1)
  assert.ok(row)
  await world.run(
    `update campaign_recipient set leased_until = facteur_now() - interval '1 second' where campaign_id = '${key.campaignId}'`,
  )
  const waiting = Promise.withResolvers<Awaited<ReturnType<typeof releaseLostRecipients>>>()
  await db.transaction(async (tx) => {
    await tx.rows(sql`select 1 from campaign_run where campaign_id = ${key.campaignId} for update`)
    void releaseLostRecipients(db, key, 100).then(waiting.resolve, waiting.reject)
    // Until it waits for the row that we hold.
    for (;;) {
      const [blocked] = await db.rows<{ count: number }>(sql`
        select count(*)::int as count from pg_stat_activity
        where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`)
      if ((blocked?.count ?? 0) > 0) break
    }
    await world.run(
      `update campaign_recipient set leased_until = facteur_now() + interval '90 seconds' where subscriber_id = '${row.subscriberId}'`,
    )
  })
  assert.partialDeepStrictEqual(await waiting.promise, { lost: 0 })
  assert.equal(
    (await recipientsOf(world, shop, key.campaignId)).find(({ email }) => email === row.email)
      ?.state,
    'leased',
  )
})

test('a lost worker’s recipient that got feedback meanwhile is completed by it, and not in doubt', async () => {
  const shop = await world.workspace('known when lost')
  const key = await frozen(shop, 1)
  await claim(key, 1)
  await world.run(
    `update campaign_recipient set status = 'delivered', leased_until = facteur_now() - interval '1 second' where campaign_id = '${key.campaignId}'`,
  )
  await releaseLostRecipients(db, key, 10)
  assert.partialDeepStrictEqual(await recipientsOf(world, shop, key.campaignId), [
    { state: 'settled', status: 'delivered' },
  ])
  assert.partialDeepStrictEqual(await campaignRow(world, shop, key.campaignId), {
    pending: 0,
    sent: 1,
    inDoubt: 0,
  })
})

test('refused for now: longer pauses each time, up to the longest; returned and postponed count no attempt', async () => {
  const shop = await world.workspace('pauses')
  const key = await frozen(shop, 3)
  const [first, second, third] = await claim(key, 3)
  assert.ok(first && second && third)
  await world.run(
    `update campaign_recipient set attempts = 12 where campaign_id = '${key.campaignId}'`,
  )
  await record(key, [first], { event: 'deferred', response: '451 later' })
  await record(key, [second], { event: 'returned' })
  await record(key, [third], { event: 'postponed', waitSeconds: 100 })
  const rows = await db.rows<{ attempts: number; seconds: number }>(sql`
    select attempts, extract(epoch from next_at - facteur_now())::float8 as seconds from campaign_recipient
    where campaign_id = ${key.campaignId} order by subscriber_id`)
  assert.deepEqual(
    rows.map(({ attempts }) => attempts),
    [12, 11, 11],
  )
  const [pause = NaN, again = NaN, wait = NaN] = rows.map(({ seconds }) => seconds)
  assert.ok(pause > 3_000 && pause <= 3_600, `tried again in ${pause} s`)
  assert.ok(again <= 0 && wait > 40 && wait <= 100, `free again in ${again} s and ${wait} s`)
})

test('postponed past the days that a campaign is tried: given up with the last reply', async () => {
  const shop = await world.workspace('postponed out')
  const key = await frozen(shop, 1)
  const rows = await claim(key, 1)
  await world.run(
    `update campaign set frozen_at = frozen_at - interval '4 days' where id = '${key.campaignId}'`,
  )
  await record(key, rows, { event: 'postponed', waitSeconds: 60, response: '421 busy' })
  assert.partialDeepStrictEqual(await recipientsOf(world, shop, key.campaignId), [
    { status: 'failed', error: 'gave up after the last temporary refusal: 421 busy' },
  ])
})

test('undo is refused once a recipient was claimed, also within its window', async () => {
  const shop = await world.workspace('undone too late')
  const key = await frozen(shop, 2)
  await claim(key, 1)
  await world.run(
    `update campaign set sent_at = null, held_until = facteur_now() + interval '1 hour' where id = '${key.campaignId}'`,
  )
  await assert.rejects(
    callVerb(world.service, shop.id, 'undoCampaignSend', { params: { id: key.campaignId } }),
    {
      code: 'conflict',
    },
  )
  assert.equal((await campaignRow(world, shop, key.campaignId)).status, 'sending')
})

test('undo is refused once its window is over, also before a recipient was claimed', async () => {
  const shop = await world.workspace('undone late')
  const key = await frozen(shop, 2)
  await world.run(
    `update campaign set held_until = facteur_now() - interval '1 second' where id = '${key.campaignId}'`,
  )
  await assert.rejects(
    callVerb(world.service, shop.id, 'undoCampaignSend', { params: { id: key.campaignId } }),
    {
      code: 'conflict',
    },
  )
  assert.equal((await campaignRow(world, shop, key.campaignId)).pending, 2)
})

test('paused and resumed within its undo window: no recipient is claimed before the window is over', async () => {
  const shop = await world.workspace('resumed early')
  const key = await frozen(shop, 2)
  await world.run(
    `update campaign set held_until = facteur_now() + interval '1 hour' where id = '${key.campaignId}'`,
  )
  await callVerb(world.service, shop.id, 'pauseCampaign', { params: { id: key.campaignId } })
  await callVerb(world.service, shop.id, 'resumeCampaign', { params: { id: key.campaignId } })
  assert.deepEqual(await claim(key, 2), [])
  assert.equal(
    (
      await callVerb(world.service, shop.id, 'undoCampaignSend', {
        params: { id: key.campaignId },
      })
    ).campaign.status,
    'draft',
  )
})

test('only recipients whose mail never left are tried again: not those handed over that failed later, nor cancelled ones', async () => {
  const shop = await world.workspace('retried')
  const key = await frozen(shop, 3)
  const rows = await claim(key, 3)
  await record(key, rows, { event: 'failed', error: '554 no', response: '554 no' })
  await world.run(
    `update campaign_recipient set sent_at = facteur_now() where subscriber_id = '${rows[0]?.subscriberId}'`,
  )
  await world.run(
    `update campaign_recipient set error = 'cancelled', cause = 'cancelled' where subscriber_id = '${rows[1]?.subscriberId}'`,
  )
  await completeIfDone(world.service, key)
  assert.equal(
    (
      await callVerb(world.service, shop.id, 'retryFailedRecipients', {
        params: { id: key.campaignId },
      })
    ).reopened,
    1,
  )
  assert.deepEqual(emails(await strays(key)), [rows[2]?.email])
})

test('the quota of an unsent recipient comes back once each time, however often it is tried again', async () => {
  const shop = await world.workspace('given back')
  const key = await frozen(shop, 4)
  const used = async () =>
    (
      await db.rows<{ used: number }>(
        sql`select used from quota_usage where workspace_id = ${shop.id}`,
      )
    )[0]?.used
  assert.equal(await used(), 4)
  const [bad, ...good] = await claim(key, 4)
  assert.ok(bad)
  await recordAndClaim(db, key, {
    sent: good.map((row) => ({ ...row, response: '250 ok' })),
    max: 0,
    leaseSeconds: 90,
  })
  await record(key, [bad], { event: 'failed', error: '554 no', response: '554 no' })
  await completeIfDone(world.service, key)
  assert.equal(await used(), 3)
  for (let time = 0; time < 2; time++) {
    await callVerb(world.service, shop.id, 'retryFailedRecipients', {
      params: { id: key.campaignId },
    })
    assert.equal(await used(), 4)
    await record(key, await strays(key), { event: 'failed', error: '554 no', response: '554 no' })
    await completeIfDone(world.service, key)
    assert.equal(await used(), 3)
  }
})

test('a retry sends to no recipient beyond the quota, nor while the workspace is suspended', async () => {
  const shop = await world.workspace('again', { monthlyQuota: 2 })
  const key = await frozen(shop, 2)
  await record(key, await claim(key, 2), { event: 'failed', error: '554 no', response: '554 no' })
  await completeIfDone(world.service, key)
  const retry = () =>
    callVerb(world.service, shop.id, 'retryFailedRecipients', { params: { id: key.campaignId } })
  await world.run(`update plan set monthly_quota = 1 where name = 'again'`)
  await assert.rejects(retry(), { code: 'quota_exceeded', details: { needed: 2, remaining: 1 } })
  await world.run(`update plan set monthly_quota = 2 where name = 'again'`)
  await shop.setReputation({ handOffs: 100, bounces: 50, complaints: 0 })
  await assert.rejects(retry(), { code: 'reputation_blocked' })
  await assert.rejects(
    callVerb(world.service, shop.id, 'releaseInDoubtRecipients', {
      params: { id: key.campaignId },
    }),
    {
      code: 'reputation_blocked',
    },
  )
  assert.equal((await campaignRow(world, shop, key.campaignId)).status, 'sent')
  assert.deepEqual(await strays(key), [])
  await shop.setReputation({ handOffs: 100, bounces: 0, complaints: 0 })
  assert.equal((await retry()).reopened, 2)
})

test('an outcome whose lease is over is not written, and its recipient is released', async () => {
  const shop = await world.workspace('late')
  const key = await frozen(shop, 1)
  const [row] = await claim(key, 1)
  assert.ok(row)
  let nowMs = 0
  const ctx = { ...world.service, clock: { ...world.service.clock, monotonicMs: () => nowMs } }
  const records = new CampaignRecords(ctx, key)
  const leases = createLeases(ctx, renewClaims(ctx, key))
  const handOff = leaseClaim(leases, {
    row,
    batchSenderId: '',
    workspaceId: key.workspaceId,
    requestedAtMs: 0,
  })
  records.add(handOff, { event: 'deferred', error: null, response: '451 later', copy: null })
  nowMs = 89_999
  assert.deepEqual(records.dropLate(), [])
  nowMs = 90_000
  assert.deepEqual(records.dropLate(), [handOff])
  assert.equal(records.waiting, 0)
  leases.stop()
})
