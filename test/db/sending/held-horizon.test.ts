/**
 * While a foreign transaction stays open, PostgreSQL keeps every dead row version and its index
 * entries. The hot statements must not pass those of earlier work again
 * (docs/decisions/0052-a-held-horizon.md). The tests count blocks, not time.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import pg from 'pg'
import { allowDots, insertBatchSender } from '../../../src/db/campaigns/batch-senders.ts'
import { claimStrays, recordAndClaim } from '../../../src/db/campaigns/campaign-claims.ts'
import { releaseLostRecipients } from '../../../src/db/campaigns/campaign-leases.ts'
import { campaignsAtWork, countHandOffs } from '../../../src/db/campaigns/campaign-work.ts'
import { markFeedbackGiven, pendingFeedback } from '../../../src/db/captured/captured-mails.ts'
import { recordCampaignOutcomes } from '../../../src/db/campaigns/campaign-outcomes.ts'
import { connect } from '../../../src/database/client/connect.ts'
import type { Database } from '../../../src/database/client/database.ts'
import { admitUnits } from '../../../src/db/sending/admissions.ts'
import {
  claimRecipients,
  isDoubtOverdue,
  messageContents,
  renewLeases,
  type ClaimedRow,
} from '../../../src/db/sending/claims.ts'
import { assumeMessagesDelivered } from '../../../src/db/feedback/feedback.ts'
import { insertEvents } from '../../../src/db/events/events.ts'
import {
  msUntilWork,
  raiseCampaignDue,
  raiseFeedbackDue,
  raiseWebhookDue,
} from '../../../src/db/sending/due.ts'
import { recordOutcomes } from '../../../src/db/sending/outcomes.ts'
import { debitedWorkspaces } from '../../../src/db/messages/message-search.ts'
import { takePermits } from '../../../src/db/sending/provider-rates.ts'
import { countRequests, makeCounters } from '../../../src/db/workspaces/request-rates.ts'
import {
  claimDeliveries,
  recordAttempts,
  webhooksDue,
} from '../../../src/db/webhooks/webhook-claims.ts'
import { countReputation } from '../../../src/db/workspaces/account-status.ts'
import { freshDatabase, moveClock, runOn } from '../../support/database.ts'
import { blocksOf, Session, statementsOf, type Acts } from '../../support/plans.ts'

const workspaceId = 1
const groups = 25
const groupSize = 60
const rules = {
  ...{ repeat: true, retryFirstSeconds: 60, retryMaxSeconds: 14_400, queueLifeSeconds: 172_800 },
  ...{ pendingSeconds: 1, silenceSeconds: 900 },
}
const campaign = { workspaceId, campaignId: randomUUID() }
const batchSenderId = randomUUID()
const room = { max: groupSize, bytesMax: 1e9, leaseSeconds: 90 }

const webhookId = randomUUID()
const webhookRows = `insert into webhook (workspace_id, id, name, url, host, events, secret, created_at, updated_at)
  values (1, '${webhookId}', 'held', 'https://held.example/', 'held.example', '{email.sent}', '', facteur_now(), facteur_now())`

const { url } = await freshDatabase()
// Counts are of a day: a midnight within the hours that this file plays would begin new ones.
const untilMidnightSeconds = 86_460 - (Math.floor(Date.now() / 1000) % 86_400)
const beginsInSeconds = untilMidnightSeconds < 8 * 3_600 ? untilMidnightSeconds : 0
const setForward = (interval: string): Promise<void> =>
  moveClock(url, `${beginsInSeconds / 3_600} hours ${interval}`)
await setForward('0 seconds')
await runOn(
  url,
  `insert into plan values ('default', null);
   insert into workspace (id, slug, name, plan, created_at) values (1, 'held', 'held', 'default', facteur_now());
   insert into domain values (1, 'held.test', 'verified', facteur_now(), facteur_now());
   insert into api_key (workspace_id, id, name, prefix, digest, scopes, created_at)
     values (1, gen_random_uuid(), 'held', '', 'key', '{}', facteur_now());
   insert into campaign_run (workspace_id, campaign_id, last_id, opens_at, recipients, pending)
     values (1, '${campaign.campaignId}', '${campaign.campaignId}', facteur_now(), 1, 1)`,
)
const db = connect({ connectionString: url, poolSize: 1 })
const session = new Session(url)
after(() => Promise.all([db.end(), session.end()]))

const unit = () => {
  const address = `${randomUUID()}@example.com`
  const message = {
    ...{
      id: randomUUID(),
      fromDomain: 'held.test',
      head: '{}',
      subject: 'x',
      tags: null,
      messageId: 'x',
      scheduledAt: null,
    },
    ...{ html: 'x', text: null, attachments: [] },
    recipients: [{ kind: 'to' as const, email: address, key: address, inline: false }],
  }
  return { idempotency: null, apiKeyId: null, messages: [message] }
}
const admit = (count: number, of: Database = db) =>
  admitUnits(of, workspaceId, Array.from({ length: count }, unit), {
    inlineSeconds: 10,
    leaseSeconds: 90,
  })

/**
 * Sends a group: admission, claim, outcome. Each row leaves a dead entry where it was pending and
 * where it was leased.
 */
async function sendGroup(size = groupSize): Promise<void> {
  const claimed = await claimGroup(size)
  await recordSent(claimed)
}

async function claimGroup(size: number): Promise<ClaimedRow[]> {
  await admit(size)
  const { claimed } = await claimRecipients(db, workspaceId, 'transactional', {
    ...room,
    max: size,
  })
  assert.equal(claimed.length, size)
  return claimed
}

const recordSent = (claimed: ClaimedRow[], of: Database = db) =>
  recordOutcomes(
    of,
    workspaceId,
    claimed.map((row) => ({ ...row, event: 'sent', error: null, response: '250', copy: null })),
    rules,
  )

/** Fields of every kind of row: the acts read the ones that they need. */
const answer = {
  ...{ next: new Date(), kind: 'passed', passedTo: new Date(), at: new Date(), granted: 1 },
  ...{ taken: [], verified: ['held.test'], suspended: false, suppressed: [], admitted: true },
}

/** Blocks that a statement of an act reads: the only one, or the one at that place. */
async function blocks(act: Acts[string], index = 0, by = session): Promise<number> {
  const planned = (await statementsOf({ act }, [answer]))[index]
  return blocksOf(await by.explain(planned?.statement ?? assert.fail('no statement')))
}

test('a claim, a search for lost claims and the next due time pass nothing that earlier looks have passed', async () => {
  const release = await hold()
  for (let group = 0; group < groups; group++) await sendGroup()
  // Their leases would have ended by now, and the marks of a worker are behind all of this.
  await setForward('5 minutes')
  const { claimed, passedTo } = await claimRecipients(db, workspaceId, 'transactional', { ...room })
  const checked = await isDoubtOverdue(db, workspaceId, 'transactional')
  assert.deepEqual([claimed.length, checked.overdue], [0, false])
  await admit(1)
  const polls = (from: Date | null) => ({
    claim: (of: typeof db) => claimRecipients(of, workspaceId, 'transactional', { ...room, from }),
    check: (of: typeof db) =>
      isDoubtOverdue(of, workspaceId, 'transactional', from && checked.passedTo),
    next: (of: typeof db) =>
      msUntilWork(of, workspaceId, 'transactional', from && { claimed: from, fullInSeconds: 5 }),
  })
  for (const [name, query] of Object.entries(polls(passedTo))) {
    const full = polls(null)[name as keyof ReturnType<typeof polls>]
    const [read, readInFull] = [await blocks(query), await blocks(full)]
    assert.ok(read <= 60, `${name} read ${read} blocks`)
    assert.ok(
      readInFull > 2 * read,
      `${name} in full read ${readInFull} blocks, where ${read} were expected to be few`,
    )
  }
  await release()
})

test('held rows are looked up by their key, also by plans made after VACUUM and ANALYZE have counted settled rows', async () => {
  for (let group = 0; group < 5; group++) await sendGroup()
  // The planner now takes the index over leased rows for empty.
  await runOn(url, 'vacuum analyze')
  const release = await hold()
  const read = async (): Promise<Record<string, number>> => {
    const claimed = await claimGroup(2)
    const result = {
      outcomes: await blocks((of) => recordSent(claimed, of)),
      renewals: await blocks((of) => renewLeases(of, workspaceId, claimed, 90)),
      contents: await blocks((of) =>
        messageContents(
          of,
          workspaceId,
          claimed.map(({ messageId }) => messageId),
        ),
      ),
    }
    await recordSent(claimed)
    return result
  }
  const first = await read()
  for (let group = 0; group < groups; group++) await sendGroup()
  const last = await read()
  for (const [name, blocksFirst] of Object.entries(first)) {
    assert.ok(
      (last[name] ?? Infinity) <= blocksFirst + 30,
      `${name} read ${last[name]} blocks, and ${blocksFirst} at first`,
    )
  }
  await release()
})

test('a look for deliveries of a webhook, their claim and its due time pass nothing that earlier claims have passed', async () => {
  await runOn(url, webhookRows)
  const release = await hold()
  const deliver = async (from: Date | null): Promise<Date> => {
    await insertEvents(db, workspaceId, [{ type: 'email.sent', data: '{}' }])
    const { claimed, passed } = await claimDeliveries(
      db,
      workspaceId,
      [{ webhookId, since: from, max: 60 }],
      90,
    )
    const created = {
      outcome: 'delivered',
      status: 200,
      body: null,
      error: null,
      durationMs: 1,
      sent: null,
    } as const
    await recordAttempts(
      db,
      workspaceId,
      claimed.map((row) => ({ ...row, ...created })),
      { failingSeconds: 1 },
    )
    return passed[0]?.to ?? assert.fail('The claim did not answer how far it looked')
  }
  for (let time = 0; time < 300; time++) await deliver(null)
  await setForward('20 minutes')
  const since = await deliver(null)
  await setForward('20 minutes 10 seconds')
  const polls = (polled: { webhookId: string; since: Date | null }[]) => ({
    due: (of: typeof db) => webhooksDue(of, workspaceId, polled),
    claim: (of: typeof db) =>
      claimDeliveries(of, workspaceId, [{ webhookId, since: null, max: 60, ...polled[0] }], 90),
    raise: (of: typeof db) =>
      raiseWebhookDue(of, workspaceId, {
        scanned: polled,
        fullInSeconds: polled.length > 0 ? 5 : null,
      }),
  })
  for (const [name, query] of Object.entries(polls([{ webhookId, since }]))) {
    const full = polls([])[name as keyof ReturnType<typeof polls>]
    // Of raising, the second statement looks; the due row itself is written seldom.
    const location = name === 'raise' ? 1 : 0
    const [read, readInFull] = [await blocks(query, location), await blocks(full, location)]
    assert.ok(read <= 60, `${name} read ${read} blocks`)
    assert.ok(
      readInFull > 2 * read,
      `${name} in full read ${readInFull} blocks, where ${read} were expected to be few`,
    )
  }
  await release()
})

test('looks for pending feedback and for silence, and their due time, pass nothing that earlier ones have passed', async () => {
  const release = await hold()
  const query = { max: 500, from: null }
  const silence = { silenceSeconds: 900, ...query, unsubscribedTypes: [] }
  for (let group = 0; group < groups; group++) {
    await recordSent(await claimGroup(groupSize))
    await runOn(
      url,
      `insert into captured_mail (workspace_id, id, message_id, position, return_path, recipient, raw, captured_at, feedback_at)
       select 1, gen_random_uuid(), gen_random_uuid(), 0, '', '', '', facteur_now(), facteur_now() from generate_series(1, ${groupSize})`,
    )
    const { pending } = await pendingFeedback(db, workspaceId, query)
    await markFeedbackGiven(
      db,
      workspaceId,
      pending.map(({ id }) => id),
    )
  }
  await setForward('60 minutes')
  let silentTo: Date
  let taken: number
  do {
    const { targets, passedTo } = await assumeMessagesDelivered(db, workspaceId, silence)
    ;[silentTo, taken] = [passedTo, targets.length]
  } while (taken > 0)
  const { passedTo: pendingTo } = await pendingFeedback(db, workspaceId, query)
  const polled = { pendingTo, silentTo, fullInSeconds: 5 }
  const polls = (range: typeof polled | null): Acts => ({
    pending: (of) => pendingFeedback(of, workspaceId, { ...query, from: range && pendingTo }),
    silence: (of) =>
      assumeMessagesDelivered(of, workspaceId, { ...silence, from: range && silentTo }),
    raise: (of) => raiseFeedbackDue(of, workspaceId, 900, range),
  })
  for (const [name, act] of Object.entries(polls(polled))) {
    const location = name === 'raise' ? 1 : 0
    const [read, readInFull] = [
      await blocks(act, location),
      await blocks(polls(null)[name] ?? act, location),
    ]
    assert.ok(read <= 60, `${name} read ${read} blocks`)
    assert.ok(
      readInFull > 2 * read,
      `${name} in full read ${readInFull} blocks, where ${read} were expected to be few`,
    )
  }
  await release()
})

/** A foreign transaction; answers how it ends. */
async function hold(): Promise<() => Promise<void>> {
  const holder = new pg.Client({ connectionString: url })
  await holder.connect()
  await holder.query('begin')
  await holder.query('select txid_current()')
  return () => holder.end()
}

/** Rows that are written many times a second, each by the statement that does so. */
let version = 0
const requests = [{ digest: Buffer.from('key'), address: null, scope: null, requests: 1 }]
const counters: Record<string, { times: number; act: (of: typeof db) => Promise<unknown> }> = {
  'quota and reputation by an admission': { times: 60, act: (of) => admit(1, of) },
  'reputation by feedback': {
    times: 60,
    act: (of) => countReputation(of, workspaceId, { handOffs: 1, addresses: [] }),
  },
  'months debited lately': { times: 1, act: (of) => debitedWorkspaces(of) },
  'requests of a key': { times: 20, act: (of) => countRequests(of, workspaceId, requests, 60_000) },
  'permits of a provider': { times: 60, act: (of) => takePermits(of, 'smtp-relay', 100_000, 1) },
  'a claim of a campaign': {
    times: 20,
    act: (of) => recordAndClaim(of, campaign, { sent: [], max: 0, leaseSeconds: 90 }),
  },
  'hand-offs of a campaign': { times: 1, act: (of) => countHandOffs(of, campaign) },
  'dots of a campaign': {
    times: 10,
    act: (of) =>
      allowDots(of, campaign, {
        id: batchSenderId,
        version: ++version,
        atDot: Array.from({ length: 60 }, randomUUID),
      }),
  },
}

test('statements that count pass the versions of some seconds, not all of them', async () => {
  await makeCounters(db, workspaceId, [
    (await countRequests(db, workspaceId, requests, 60_000))[0]?.bucket ?? '',
  ])
  await insertBatchSender(db, campaign, batchSenderId)
  const round = async (seconds: number): Promise<void> => {
    await setForward(`${7_200 + seconds} seconds`)
    for (const { times, act } of Object.values(counters))
      for (let time = 0; time < times; time++) await act(db)
  }
  const read = async (by = session): Promise<Record<string, number>> => {
    const result: Record<string, number> = {}
    for (const [name, { act }] of Object.entries(counters)) {
      // The least of a few: one of them may begin a page, whose key is compared with all versions
      // until the next version drops it.
      result[name] = Math.min(
        await blocks(act, 0, by),
        await blocks(act, 0, by),
        await blocks(act, 0, by),
      )
    }
    return result
  }
  // An undone version that meets a full page of an index visits the rows of that page, until more
  // versions split the page: the fewest blocks of several rounds count. A statement that passes all
  // versions reads them in each round.
  const readAfter = async (
    rounds: readonly number[],
    by = session,
  ): Promise<Record<string, number>> => {
    const fewest: Record<string, number> = {}
    for (const ten of rounds) {
      await round(ten * 10)
      for (const [name, count] of Object.entries(await read(by)))
        fewest[name] = Math.min(fewest[name] ?? Infinity, count)
    }
    return fewest
  }
  const release = await hold()
  await round(0)
  const first = await read()
  for (let ten = 1; ten <= 12; ten++) await round(ten * 10)
  const last = await readAfter([13, 14, 15])
  await runOn(url, 'vacuum analyze')
  const young = new Session(url)
  const counted = await readAfter([16, 17, 18], young)
  await young.end()
  for (const [name, blocksFirst] of Object.entries(first)) {
    assert.ok(
      (last[name] ?? Infinity) <= blocksFirst + 5,
      `${name} read ${last[name]} blocks, and ${blocksFirst} at first`,
    )
    const grown = `${name} read ${counted[name]} blocks after VACUUM, and ${blocksFirst} at first`
    assert.ok((counted[name] ?? Infinity) <= blocksFirst + 5, grown)
  }
  await release()
})

/** As a held snapshot leaves the tables: many pages, few rows, the last of them at the end. */
const bloated = `
  insert into campaign_run (workspace_id, campaign_id, last_id, opens_at, recipients, pending, moved_at)
    select 1, gen_random_uuid(), gen_random_uuid(), facteur_now(), 1, 1, facteur_now() from generate_series(1, 5000);
  insert into batch_sender (workspace_id, campaign_id, id, opened_at, at_dot)
    select 1, '${campaign.campaignId}', gen_random_uuid(), facteur_now(), '{}' from generate_series(1, 5000);
  insert into request_rate (workspace_id, bucket, seconds, passed) select 1, n::text, '{}', '{}' from generate_series(1, 5000) n;
  insert into provider_rate (provider, per_second, next_free_at) select n::text, 1, facteur_now() from generate_series(1, 5000) n;
  insert into quota_usage (workspace_id, month, used) select n, '2020-01-01', 0 from generate_series(2, 5000) n;
  insert into reputation_day (workspace_id, epoch, day) select 1, 0, date '1000-01-01' + n from generate_series(1, 5000) n;
  delete from campaign_run where campaign_id <> '${campaign.campaignId}' and ctid < (select max(ctid) from campaign_run);
  delete from batch_sender where id <> '${batchSenderId}' and ctid < (select max(ctid) from batch_sender);
  delete from request_rate where bucket ~ '^[0-9]+$' and ctid < (select max(ctid) from request_rate);
  delete from provider_rate where provider ~ '^[0-9]+$' and ctid < (select max(ctid) from provider_rate);
  delete from quota_usage where month < '2021-01-01' and ctid < (select max(ctid) from quota_usage);
  delete from reputation_day where day < '2021-01-01' and ctid < (select max(ctid) from reputation_day)`

test('the newest version is found from the end of its index, also by plans for a table of many pages and few rows', async () => {
  await runOn(url, bloated)
  await runOn(
    url,
    'vacuum analyze campaign_run, batch_sender, request_rate, provider_rate, quota_usage, reputation_day',
  )
  const young = new Session(url)
  for (const [name, { act }] of Object.entries(counters)) {
    for (const { statement } of await statementsOf({ act }, [answer])) {
      const plan = JSON.stringify(await young.explain(statement))
      assert.doesNotMatch(
        plan,
        /"Sort Key":\["[^\]]*moved_at DESC/,
        `${name} reads all versions and sorts them`,
      )
      assert.match(plan, /"Scan Direction":"Backward"/, name)
    }
  }
  await young.end()
})

test('looks for strays of a campaign pass nothing that earlier claims have passed, and leaves out none that is due', async () => {
  const contacts = 30
  const key = { workspaceId, campaignId: randomUUID() }
  await runOn(
    url,
    `insert into campaign (workspace_id, id, name, subject, format, source, status, created_at, updated_at, sent_at, frozen_at)
       values (1, '${key.campaignId}', 'held', 'x', 'html', '{}', 'sending', facteur_now(), facteur_now(), facteur_now(), facteur_now());
     insert into campaign_recipient (workspace_id, campaign_id, subscriber_id, email)
       select 1, '${key.campaignId}', gen_random_uuid(), 's' || n || '@example.com' from generate_series(1, ${contacts}) n;
     insert into subscriber (workspace_id, id, email, status, created_at, updated_at)
       select 1, subscriber_id, email, 'subscribed', facteur_now(), facteur_now() from campaign_recipient where campaign_id = '${key.campaignId}';
     insert into campaign_run (workspace_id, campaign_id, last_id, opens_at, recipients, pending)
       values (1, '${key.campaignId}', 'ffffffff-ffff-ffff-ffff-ffffffffffff', facteur_now(), ${contacts}, ${contacts})`,
  )
  const release = await hold()
  const request = { max: contacts, leaseSeconds: 90 }
  const later = { ...rules, retryFirstSeconds: 1, retryMaxSeconds: 1 }
  const defer = (claimed: { subscriberId: string; fence: number }[]) =>
    recordCampaignOutcomes(
      db,
      key,
      claimed.map((row) => ({
        ...row,
        event: 'deferred' as const,
        error: null,
        response: '450',
        copy: null,
      })),
      later,
    )
  await defer((await recordAndClaim(db, key, { sent: [], ...request })).claimed)
  await runOn(
    url,
    `update campaign_run set last_id = claimed_to where campaign_id = '${key.campaignId}'`,
  )
  let from: Date | null = null
  for (let time = 1; time <= 40; time++) {
    await setForward(`${20_000 + time * 10} seconds`)
    const { claimed, passedTo } = await claimStrays(db, key, { ...request, from })
    assert.equal(claimed.length, contacts)
    from = passedTo
    await defer(claimed)
  }
  const { passedTo: lostTo } = await releaseLostRecipients(db, key, 100)
  const polls = (since: Date | null): Acts => {
    const polled = since ? [{ campaignId: key.campaignId, passedTo: since, fullInSeconds: 5 }] : []
    return {
      claim: (of) => claimStrays(of, key, { ...request, from: since }),
      'what is at work': (of) => campaignsAtWork(of, workspaceId, { scanned: polled }),
      lost: (of) => releaseLostRecipients(of, key, 100, since && lostTo),
      raise: (of) => raiseCampaignDue(of, workspaceId, 30, polled),
    }
  }
  for (const [name, act] of Object.entries(polls(from))) {
    const location = name === 'raise' ? 1 : 0
    const [read, readInFull] = [
      await blocks(act, location),
      await blocks(polls(null)[name] ?? act, location),
    ]
    assert.ok(read <= 80, `${name} read ${read} blocks`)
    assert.ok(
      readInFull > 2 * read,
      `${name} in full read ${readInFull} blocks, where ${read} were expected to be few`,
    )
  }
  await release()
})
