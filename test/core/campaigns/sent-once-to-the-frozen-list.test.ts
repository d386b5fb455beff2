/**
 * Sending a campaign: one of many calls wins, the list is frozen as it is then, refusals come in
 * the specified order.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freezeCampaign } from '../../../src/core/campaigns/freeze-campaign.ts'
import { sql } from '../../../src/database/client/sql.ts'
import { upsertSuppression } from '../../../src/db/suppression/suppressions.ts'
import { startApi, type TestWorkspace } from '../../support/api.ts'
import { ask, type Answer } from '../../support/ask.ts'
import { untilWaits } from '../../support/database.ts'
import {
  addSubscribers,
  campaignRow,
  draftOf,
  recipientsOf,
  send,
  untilSent,
} from '../../support/campaign-world.ts'

const api = await startApi()
/** Nothing leaves by itself. */
const idle = await startApi({ workers: false })

const errorOf = (answer: Answer): { code: string; details: object } => {
  const { error } = answer.body as { error: { code: string; message: string; details: object } }
  return { code: error.code, details: error.details }
}

const used = async ({ id }: TestWorkspace): Promise<number> => {
  const [row] = await idle.service.db.rows<{ used: number }>(
    sql`select coalesce(sum(used), 0)::int8 as used from quota_usage where workspace_id = ${id}`,
  )
  return row?.used ?? 0
}

test('202 with the true number, and every frozen recipient receives one mail', async () => {
  const shop = await api.workspace('shop')
  await addSubscribers(api, shop, 300)
  await shop.suppress('person7@example.com', 'manual')
  await api.suppressOnPlatform('person8@example.com')
  const id = await draftOf(api, shop)
  const answer = await send(api, shop, id)
  assert.equal(answer.status, 202, JSON.stringify(answer.body))
  assert.deepEqual(
    { ...(answer.body as object), note: '' },
    { id, object: 'campaign', status: 'sending', queued: 298, note: '' },
  )
  await untilSent(api, shop, id)
  assert.equal((await campaignRow(api, shop, id)).sent, 298)
  const mails = await api.service.db.rows<{ recipient: string; raw: Buffer }>(sql`
    select recipient, raw from captured_mail where workspace_id = ${shop.id} and campaign_id = ${id}`)
  assert.equal(mails.length, 298)
  assert.equal(new Set(mails.map(({ recipient }) => recipient)).size, 298)
  const mail = mails.find(({ recipient }) => recipient === 'person9@example.com')
  assert.match(mail?.raw.toString() ?? '', /^Subject: News for Person 9\r$/m)
})

test('20 sends at once: one 202, all others 409 with the status', async () => {
  const shop = await idle.workspace('twenty')
  await addSubscribers(idle, shop, 500)
  const id = await draftOf(idle, shop)
  const answers = await Promise.all(Array.from({ length: 20 }, () => send(idle, shop, id)))
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [
    202,
    ...Array.from({ length: 19 }, () => 409),
  ])
  for (const answer of answers.filter(({ status }) => status === 409)) {
    assert.deepEqual(errorOf(answer), { code: 'conflict', details: { id, status: 'sending' } })
  }
  assert.equal((await recipientsOf(idle, shop, id)).length, 500)
  assert.equal(await used(shop), 500)
})

test('a send whose quota another call holds waits for it, and is not refused', async () => {
  const shop = await idle.workspace('held', { monthlyQuota: 10 })
  await addSubscribers(idle, shop, 2)
  const first = await draftOf(idle, shop)
  assert.equal((await send(idle, shop, first)).status, 202)
  const id = await draftOf(idle, shop)
  const [answer] = await idle.service.db.transaction(async (tx) => {
    await tx.rows(sql`select 1 from quota_usage where workspace_id = ${shop.id} for update`)
    const sending = send(idle, shop, id)
    await untilWaits(idle.database.url, 'quota_usage')
    return [sending]
  })
  assert.equal((await answer).status, 202)
})

test('409 names the status of a campaign that is scheduled, archived or sent', async () => {
  const shop = await idle.workspace('states')
  await addSubscribers(idle, shop, 1)
  for (const status of ['scheduled', 'sending', 'sent', 'archived']) {
    const id = await draftOf(idle, shop)
    await idle.run(`update campaign set status = '${status}' where id = '${id}'`)
    const answer = await send(idle, shop, id)
    assert.equal(answer.status, 409)
    assert.deepEqual(errorOf(answer).details, { id, status })
  }
})

test('404 for an unknown id and for one of another workspace', async () => {
  const [ours, other] = [await idle.workspace('ours'), await idle.workspace('theirs')]
  const id = await draftOf(idle, other)
  for (const wrong of [id, idle.service.makeId(), 'x'])
    assert.equal((await send(idle, ours, wrong)).status, 404)
})

test('422 in the specified order: domain, quota, reputation, sender, recipients; and a refused send stores nothing', async () => {
  const shop = await idle.workspace('order', { monthlyQuota: 5 })
  await addSubscribers(idle, shop, 6)
  const id = await draftOf(idle, shop)
  const refused = async (): Promise<[string, unknown]> => {
    const answer = await send(idle, shop, id)
    assert.equal(answer.status, 422, JSON.stringify(answer.body))
    const error = errorOf(answer)
    assert.equal((await campaignRow(idle, shop, id)).status, 'draft')
    assert.equal((await recipientsOf(idle, shop, id)).length, 0)
    assert.equal(await used(shop), 0)
    return [error.code, error.details]
  }
  await shop.setReputation({ handOffs: 100, bounces: 50, complaints: 0 })
  await idle.run(`delete from sender where workspace_id = ${shop.id}`)
  await idle.run(`update domain set status = 'pending' where workspace_id = ${shop.id}`)
  assert.equal((await refused())[0], 'unverified_from_domain')
  await idle.run(`update domain set status = 'verified' where workspace_id = ${shop.id}`)
  assert.deepEqual(await refused(), [
    'validation_error',
    { reason: 'quota_exceeded', needed: 6, remaining: 5 },
  ])
  await idle.run(`update plan set monthly_quota = 6 where name = 'order'`)
  const [, reputation] = await refused()
  assert.deepEqual(reputation, {
    ...{ reason: 'reputation_blocked', suspended_by: 'bounce_rate' },
    ...{ bounce_rate: 0.5, complaint_rate: 0 },
  })
  await shop.setReputation({ handOffs: 100, bounces: 0, complaints: 0 })
  assert.deepEqual((await refused())[1], { reason: 'no_sender' })
  await idle.run(
    `insert into sender (workspace_id, id, email, created_at) values (${shop.id}, gen_random_uuid(), 'hello@order.test', now())`,
  )
  await idle.run(`update plan set monthly_quota = 5 where name = 'order'`)
  assert.deepEqual((await refused())[1], { reason: 'quota_exceeded', needed: 6, remaining: 5 })
  await idle.run(`update subscriber set status = 'unsubscribed' where workspace_id = ${shop.id}`)
  await idle.run(`insert into subscriber_tally (workspace_id, change) values (${shop.id}, -6)`)
  assert.deepEqual((await refused())[1], { reason: 'no_recipients' })
})

test('422 reputation_blocked: a workspace that is suspended sends no campaign, though everything else is in order', async () => {
  const shop = await idle.workspace('suspended')
  await addSubscribers(idle, shop, 1)
  const id = await draftOf(idle, shop)
  await shop.setReputation({ handOffs: 100, bounces: 50, complaints: 0 })
  const answer = await send(idle, shop, id)
  assert.equal(answer.status, 422)
  assert.partialDeepStrictEqual(errorOf(answer), {
    code: 'validation_error',
    details: { reason: 'reputation_blocked' },
  })
  assert.equal((await campaignRow(idle, shop, id)).status, 'draft')
})

test('only subscribed and unsuppressed contacts are frozen; one who is suppressed later is completed before the call answers', async () => {
  const shop = await idle.workspace('moment')
  await addSubscribers(idle, shop, 10)
  await idle.run(
    `update subscriber set status = 'pending' where workspace_id = ${shop.id} and email = 'person1@example.com'`,
  )
  await idle.run(
    `update subscriber set status = 'bounced' where workspace_id = ${shop.id} and email = 'person2@example.com'`,
  )
  // Closed while the record still says that they are subscribed.
  await upsertSuppression(idle.service.db, shop.id, {
    ...{ id: idle.service.makeId(), email: 'person3@example.com' },
    ...{ reason: 'manual', sourceId: null },
  })
  const id = await draftOf(idle, shop)
  assert.equal((await send(idle, shop, id)).status, 202)
  await shop.suppress('person5@example.com', 'unsubscribe')
  const row = (await recipientsOf(idle, shop, id)).find(
    ({ email }) => email === 'person5@example.com',
  )
  assert.deepEqual(
    [row?.state, row?.status, row?.error],
    ['settled', 'suppressed', 'suppressed: unsubscribe'],
  )
  const { recipients, pending, suppressed } = await campaignRow(idle, shop, id)
  assert.deepEqual(
    { recipients, pending, suppressed },
    { recipients: 7, pending: 6, suppressed: 1 },
  )
})

test('while a list is being frozen, other sends of the workspace do not wait', async () => {
  const shop = await idle.workspace('beside')
  await addSubscribers(idle, shop, 50)
  const id = await draftOf(idle, shop)
  const freezing = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  const failpoints = {
    broken: () => false,
    hit: (name: string) => {
      if (name !== 'freeze.after_insert') return undefined
      freezing.resolve()
      return goOn.promise
    },
  }
  const first = freezeCampaign(
    { ...idle.service, failpoints },
    { workspaceId: shop.id, id, from: 'draft', undoSeconds: 0, canary: null },
  )
  await freezing.promise
  const body = { from: `hello@${shop.domain}`, to: 'single@example.com', subject: 'x', text: 'x' }
  assert.equal(
    (await ask(idle.baseUrl, 'POST /api/v1/emails', { key: shop.key, body })).status,
    202,
  )
  const second = await send(idle, shop, id)
  assert.equal(
    second.status,
    409,
    'another send of the same campaign is refused, and not kept waiting for the end',
  )
  goOn.resolve()
  assert.equal(await first, 50)
})

test('an uncommitted freeze ends with its connection: the campaign is a draft, and can be sent', async () => {
  const shop = await idle.workspace('lost')
  await addSubscribers(idle, shop, 20)
  const id = await draftOf(idle, shop)
  const failpoints = {
    broken: () => false,
    hit: (name: string) =>
      name === 'freeze.after_insert' ? Promise.reject(new Error('lost')) : undefined,
  }
  await assert.rejects(
    freezeCampaign(
      { ...idle.service, failpoints },
      { workspaceId: shop.id, id, from: 'draft', undoSeconds: 0, canary: null },
    ),
    /lost/,
  )
  assert.equal((await campaignRow(idle, shop, id)).status, 'draft')
  assert.equal(await used(shop), 0)
  assert.equal((await send(idle, shop, id)).status, 202)
})
