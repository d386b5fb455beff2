/**
 * Feedback on a campaign's recipients: once each, forward only, with progress, tallies, suppression
 * and reputation (semantics 3).
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Feedback } from '../../../src/core/feedback-target.ts'
import { stopPendingMailTo } from '../../../src/core/sending/apply-status-changes.ts'
import { recordFeedback } from '../../../src/core/feedback/record-feedback.ts'
import { assumeCampaignMailDelivered } from '../../../src/core/feedback/assume-delivered.ts'
import { scheduleAssumedDelivery } from '../../../src/db/feedback/campaign-assumed-delivery.ts'
import { sql } from '../../../src/database/client/sql.ts'
import { createGiveFeedback } from '../../../src/entrypoints/workers/give-feedback.ts'
import { startApi } from '../../support/api.ts'
import { ask } from '../../support/ask.ts'
import { at } from '../../support/json.ts'
import {
  progress,
  recipients,
  sentCampaign,
  tallies,
  type SentCampaign,
} from '../../support/tracking-world.ts'
import { newsFrom } from '../../support/feedback.ts'

const api = await startApi({ workers: false })
const workspace = await api.workspace('campaign news')
const { service } = api

type Kind = 'sent' | 'delivered' | 'bounced' | 'complained' | 'failed'
const kinds: Kind[] = ['sent', 'delivered', 'bounced', 'complained', 'failed']
/** Least advanced first. */
const order = ['queued', 'sent', 'failed', 'delivered', 'bounced', 'complained']
const news = (
  campaign: SentCampaign,
  contact: number,
  kind: Feedback['kind'],
  more: Partial<Feedback> = {},
): Feedback =>
  newsFrom({ campaignId: campaign.id, subscriberId: campaign.contacts[contact] ?? '' }, kind, more)
const report = async (...rows: Feedback[]) =>
  (await recordFeedback(service, { workspaceId: workspace.id, feedback: rows })).changes
const rowOf = async (campaign: SentCampaign, contact: number) =>
  (await recipients(api, workspace, campaign.id))[contact]

test('every order of two: the status is the further one, and the counters follow it', async () => {
  for (const first of kinds) {
    for (const second of kinds) {
      const campaign = await sentCampaign(api, workspace, { contacts: 1 })
      await report(news(campaign, 0, first))
      await report(news(campaign, 0, second))
      const further = [first, second, 'sent'].toSorted(
        (a, b) => order.indexOf(b) - order.indexOf(a),
      )[0]
      assert.equal((await rowOf(campaign, 0))?.status, further, `${first}, ${second}`)
      const expected = {
        ...(further === 'bounced' && { bounced: 1 }),
        ...(further === 'complained' && { complained: 1 }),
        ...((further === 'delivered' || further === 'complained') && { delivered: 1 }),
      }
      assert.deepEqual(await tallies(api, workspace, campaign.id), expected, `${first}, ${second}`)
      assert.equal(
        (await progress(api, workspace, campaign.id))['sent'],
        1,
        'a later bounce stays handed over',
      )
    }
  }
})

test('the same feedback twice, in one batch and in two: stored once, counted once', async () => {
  const campaign = await sentCampaign(api, workspace)
  const once = news(campaign, 0, 'delivered')
  assert.equal((await report(once, once)).length, 1)
  assert.equal((await report(once)).length, 0)
  assert.deepEqual(await tallies(api, workspace, campaign.id), { delivered: 1 })
  const stored = await service.db.rows(
    sql`select 1 from feedback where workspace_id = ${workspace.id} and campaign_id = ${campaign.id}`,
  )
  assert.equal(stored.length, 1)
})

test('all at once over several connections: the furthest stays', async () => {
  for (let round = 0; round < 5; round++) {
    const campaign = await sentCampaign(api, workspace)
    const shuffled = [...kinds, ...kinds].toSorted(() => Math.random() - 0.5)
    await Promise.all(shuffled.map((kind) => report(news(campaign, 0, kind))))
    assert.equal((await rowOf(campaign, 0))?.status, 'complained')
    assert.deepEqual(await tallies(api, workspace, campaign.id), { complained: 1, delivered: 1 })
  }
})

test("feedback on an unknown recipient, one never handed off, or another workspace's changes nothing", async () => {
  const unbegun = await sentCampaign(api, workspace, {
    row: { state: 'pending', status: 'queued', attempts: 0 },
  })
  const nobody = { campaignId: unbegun.id, subscriberId: service.makeId() }
  assert.deepEqual(
    await report(news(unbegun, 0, 'bounced'), news(unbegun, 0, 'bounced', { target: nobody })),
    [],
  )
  const stranger = await api.workspace('campaign news stranger')
  const campaign = await sentCampaign(api, workspace)
  assert.deepEqual(
    (
      await recordFeedback(service, {
        workspaceId: stranger.id,
        feedback: [news(campaign, 0, 'bounced')],
      })
    ).changes,
    [],
  )
  assert.equal((await rowOf(campaign, 0))?.status, 'sent')
})

for (const kind of ['delivered', 'bounced', 'complained', 'failed'] as const) {
  test(`${kind} resolves a recipient in doubt, and ends the wait for another try`, async () => {
    for (const state of ['in_doubt', 'pending']) {
      const campaign = await sentCampaign(api, workspace, { row: { state, status: 'queued' } })
      await report(news(campaign, 0, kind))
      assert.partialDeepStrictEqual(await rowOf(campaign, 0), { state: 'settled', status: kind })
      assert.partialDeepStrictEqual(await progress(api, workspace, campaign.id), {
        [state]: 2,
        sent: 1,
      })
    }
  })
}

test('a bounce and a complaint suppress the address, change the subscriber and count for the reputation, once', async () => {
  await workspace.setReputation({ handOffs: 0, bounces: 0, complaints: 0 })
  const campaign = await sentCampaign(api, workspace, { contacts: 2 })
  await report(news(campaign, 0, 'bounced'), news(campaign, 1, 'complained'))
  await report(news(campaign, 0, 'bounced'), news(campaign, 1, 'complained'))
  const closed = await service.db.rows<{ status: string; reason: string }>(sql`
    select s.status, x.reason from subscriber s
    join suppression x on x.workspace_id = s.workspace_id and x.email = s.email
    where s.workspace_id = ${workspace.id} and s.id = any (${campaign.contacts}::uuid[]) order by 1`)
  assert.deepEqual(closed, [
    { status: 'bounced', reason: 'bounce' },
    { status: 'complained', reason: 'complaint' },
  ])
  const days = await service.db.rows(sql`
    select sum(bounces)::int as bounces, sum(complaints)::int as complaints from reputation_day where workspace_id = ${workspace.id}`)
  assert.deepEqual(days, [{ bounces: 1, complaints: 1 }])
})

test('a subscriber who came while the bounce was committed is bounced, and their waiting mail is completed', async () => {
  const campaign = await sentCampaign(api, workspace, {
    contacts: 1,
    row: { state: 'pending', status: 'queued' },
  })
  await service.db.count(
    sql`update campaign set status = 'sending' where workspace_id = ${workspace.id} and id = ${campaign.id}`,
  )
  const email = `p1.${campaign.id}@example.com`
  await stopPendingMailTo(service, {
    workspaceId: workspace.id,
    suppressed: [{ email, reason: 'bounce', sourceId: campaign.id }],
  })
  assert.partialDeepStrictEqual(await rowOf(campaign, 0), {
    state: 'settled',
    status: 'suppressed',
  })
  const contacts = await service.db.rows(
    sql`select status from subscriber where workspace_id = ${workspace.id} and email = ${email}`,
  )
  assert.deepEqual(contacts, [{ status: 'bounced' }])
})

test('delivered and failed suppress no address', async () => {
  const campaign = await sentCampaign(api, workspace, { contacts: 2 })
  await report(news(campaign, 0, 'delivered'), news(campaign, 1, 'failed'))
  const closed = await service.db.rows(sql`
    select 1 from suppression x join subscriber s on s.workspace_id = x.workspace_id and s.email = x.email
    where x.workspace_id = ${workspace.id} and s.id = any (${campaign.contacts}::uuid[])`)
  assert.deepEqual(closed, [])
})

test('pending feedback of the capture mailbox is given for campaigns and messages together', async () => {
  const campaign = await sentCampaign(api, workspace, { contacts: 3 })
  const pending = ['delivered', 'bounced', 'failed']
  for (const [index, kind] of pending.entries()) {
    await service.db.count(sql`
      insert into captured_mail (workspace_id, id, position, campaign_id, subscriber_id, return_path, recipient, raw, captured_at, feedback_kind, feedback_at)
      values (${workspace.id}, ${service.makeId()}, 0, ${campaign.id}, ${campaign.contacts[index]}, 'a@b.test', 'c@d.test', '', facteur_now(), ${kind}, facteur_now())`)
  }
  const sent = await ask(api.baseUrl, 'POST /api/v1/emails', {
    key: workspace.key,
    body: { from: `hello@${workspace.domain}`, to: 'beside@example.com', subject: 'x', text: 'x' },
  })
  assert.equal(sent.status, 202)
  assert.equal(await createGiveFeedback(service)(workspace.id, null), 'later')
  assert.deepEqual(
    (await recipients(api, workspace, campaign.id)).map(({ status }) => status),
    pending,
  )
  assert.deepEqual(await tallies(api, workspace, campaign.id), { delivered: 1, bounced: 1 })
})

/** All rounds that are due now. */
async function beSilent(seconds: number, max = 4): Promise<void> {
  while (
    (await assumeCampaignMailDelivered(service, {
      workspaceId: workspace.id,
      limits: { silenceSeconds: seconds, max },
    })) > 0
  );
}

test('assumed delivery: after the time and not before, in order, and the record names silence as its source', async () => {
  const stopAt = await api.stopTime()
  const campaign = await sentCampaign(api, workspace, { contacts: 10, secondsAgo: 0 })
  await scheduleAssumedDelivery(service.db, workspace.id, campaign.id, 900)
  await beSilent(900)
  assert.deepEqual(await tallies(api, workspace, campaign.id), {})
  await stopAt(899)
  await beSilent(900)
  assert.deepEqual(await tallies(api, workspace, campaign.id), {})
  // The last three were handed over later.
  await service.db.count(sql`
    update campaign_recipient set sent_at = sent_at + interval '60 seconds'
    where workspace_id = ${workspace.id} and campaign_id = ${campaign.id} and subscriber_id >= ${campaign.contacts[7]}`)
  await stopAt(905)
  await beSilent(900)
  assert.deepEqual(await tallies(api, workspace, campaign.id), { assumed: 7, delivered: 7 })
  await stopAt(965)
  await beSilent(900)
  assert.deepEqual(await tallies(api, workspace, campaign.id), { assumed: 10, delivered: 10 })
  assert.partialDeepStrictEqual(await rowOf(campaign, 9), {
    status: 'delivered',
    deliveredBy: 'silence',
  })
  assert.deepEqual(
    await service.db.rows(
      sql`select 1 from campaign_assumed_delivery where workspace_id = ${workspace.id}`,
    ),
    [],
  )
  await api.moveClock('0 seconds')
})

test('assumed delivery skips recipients who bounced, are in doubt or wait for another try, and returns for the latter', async () => {
  const campaign = await sentCampaign(api, workspace, { contacts: 6, secondsAgo: 1000 })
  await scheduleAssumedDelivery(service.db, workspace.id, campaign.id, 0)
  await report(news(campaign, 0, 'bounced'))
  const set = (contact: number, state: string) =>
    service.db.count(sql`
      update campaign_recipient set state = ${state}, status = 'queued', sent_at = null
      where workspace_id = ${workspace.id} and campaign_id = ${campaign.id} and subscriber_id = ${campaign.contacts[contact]}`)
  await set(1, 'in_doubt')
  await set(2, 'pending')
  const statuses = async () =>
    (await recipients(api, workspace, campaign.id)).map(({ status }) => status)
  const round = () =>
    assumeCampaignMailDelivered(service, {
      workspaceId: workspace.id,
      limits: { silenceSeconds: 900, max: 100 },
    })
  await round()
  assert.deepEqual(await statuses(), [
    'bounced',
    'queued',
    'queued',
    'delivered',
    'delivered',
    'delivered',
  ])
  await service.db.count(sql`
    update campaign_recipient set state = 'settled', status = 'sent', sent_at = facteur_now()
    where workspace_id = ${workspace.id} and campaign_id = ${campaign.id} and subscriber_id = ${campaign.contacts[2]}`)
  await api.moveClock('950 seconds')
  await round()
  assert.deepEqual(await statuses(), [
    'bounced',
    'queued',
    'delivered',
    'delivered',
    'delivered',
    'delivered',
  ])
  assert.equal(await round(), 0, 'nobody is waited for any more')
  await api.moveClock('0 seconds')
})

test('assumed delivery stops at recipients that were not begun: a campaign that is paused', async () => {
  const campaign = await sentCampaign(api, workspace, { contacts: 4, secondsAgo: 1000 })
  await scheduleAssumedDelivery(service.db, workspace.id, campaign.id, 0)
  await service.db.count(sql`
    update campaign_recipient set state = 'pending', status = 'queued', sent_at = null, attempts = 0
    where workspace_id = ${workspace.id} and campaign_id = ${campaign.id} and subscriber_id >= ${campaign.contacts[2]}`)
  assert.ok(
    (await assumeCampaignMailDelivered(service, {
      workspaceId: workspace.id,
      limits: { silenceSeconds: 900, max: 100 },
    })) > 0,
  )
  assert.deepEqual(await tallies(api, workspace, campaign.id), { assumed: 2, delivered: 2 })
  assert.equal(
    await assumeCampaignMailDelivered(service, {
      workspaceId: workspace.id,
      limits: { silenceSeconds: 900, max: 100 },
    }),
    0,
    'looked at again later',
  )
  const places = await service.db.rows(
    sql`select assumed_to from campaign_assumed_delivery where workspace_id = ${workspace.id}`,
  )
  assert.deepEqual(places, [{ assumedTo: campaign.contacts[1] }])
  await service.db.count(sql`
    update campaign_recipient set state = 'settled', status = 'sent', sent_at = facteur_now(), attempts = 1
    where workspace_id = ${workspace.id} and campaign_id = ${campaign.id} and subscriber_id >= ${campaign.contacts[2]}`)
  await api.moveClock('2000 seconds')
  await beSilent(900)
  assert.deepEqual(await tallies(api, workspace, campaign.id), { assumed: 4, delivered: 4 })
  await api.moveClock('0 seconds')
})

test('a wait for silence that begins again meanwhile: another round finds the recipients sent since', async () => {
  const campaign = await sentCampaign(api, workspace, { contacts: 3, secondsAgo: 1000 })
  const set = (state: string, status: string, sent: boolean) =>
    service.db.count(sql`
      update campaign_recipient set state = ${state}, status = ${status}, sent_at = case when ${sent} then facteur_now() end
      where workspace_id = ${workspace.id} and campaign_id = ${campaign.id} and subscriber_id = ${campaign.contacts[0]}`)
  await set('in_doubt', 'queued', false)
  await scheduleAssumedDelivery(service.db, workspace.id, campaign.id, 0)
  assert.ok(
    (await assumeCampaignMailDelivered(service, {
      workspaceId: workspace.id,
      limits: { silenceSeconds: 900, max: 2 },
    })) > 0,
  )
  await set('settled', 'sent', true)
  await scheduleAssumedDelivery(service.db, workspace.id, campaign.id, 900)
  await beSilent(900)
  assert.deepEqual(await tallies(api, workspace, campaign.id), { assumed: 2, delivered: 2 })
  await api.moveClock('1900 seconds')
  await beSilent(900)
  assert.deepEqual(await tallies(api, workspace, campaign.id), { assumed: 3, delivered: 3 })
  assert.equal(
    await assumeCampaignMailDelivered(service, {
      workspaceId: workspace.id,
      limits: { silenceSeconds: 900, max: 2 },
    }),
    0,
  )
  await api.moveClock('0 seconds')
})

test('deliveries that are assumed wait for those that follow within moments, a hundredth of the silence', async () => {
  const stopAt = await api.stopTime()
  const campaign = await sentCampaign(api, workspace, { contacts: 3, secondsAgo: 901 })
  await service.db.count(sql`
    update campaign_recipient set sent_at = sent_at + interval '2 seconds'
    where workspace_id = ${workspace.id} and campaign_id = ${campaign.id} and subscriber_id >= ${campaign.contacts[1]}`)
  await scheduleAssumedDelivery(service.db, workspace.id, campaign.id, 0)
  await beSilent(900)
  assert.deepEqual(await tallies(api, workspace, campaign.id), { assumed: 1, delivered: 1 })
  const waits = await service.db.onlyValue<number>(sql`
    select extract(epoch from next_at - facteur_now())::float8 from campaign_assumed_delivery
    where workspace_id = ${workspace.id} and campaign_id = ${campaign.id}`)
  assert.ok(waits > 2 && waits <= 9, `The next turn comes in ${waits} s`)
  await stopAt(10)
  await beSilent(900)
  assert.deepEqual(await tallies(api, workspace, campaign.id), { assumed: 3, delivered: 3 })
  await api.moveClock('0 seconds')
})

test('the end of a wait for silence wakes the feedback lane, whose turn marks delivered', async () => {
  const campaign = await sentCampaign(api, workspace, { contacts: 2, secondsAgo: 1000 })
  await scheduleAssumedDelivery(service.db, workspace.id, campaign.id, 900)
  assert.equal(await createGiveFeedback(service)(workspace.id, 900), 'later')
  const [due] = await service.db.rows<{ seconds: number }>(sql`
    select extract(epoch from next_at - facteur_now())::float8 as seconds from due where workspace_id = ${workspace.id} and lane = 'feedback'`)
  assert.ok(due && due.seconds > 800 && due.seconds <= 900)
  await api.moveClock('901 seconds')
  while ((await createGiveFeedback(service)(workspace.id, 900)) === 'more');
  assert.deepEqual(await tallies(api, workspace, campaign.id), { assumed: 2, delivered: 2 })
  assert.equal(at(await progress(api, workspace, campaign.id), 'sent'), 2)
  await api.moveClock('0 seconds')
})
