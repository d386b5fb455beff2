/** The overview of a workspace: its days, its quota, whether it may send, and its first steps. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AnswerOf } from '../../src/contract/operations.ts'
import { storeTlsResults } from '../../src/db/sending/tls-results.ts'
import { recordBackupFailure } from '../../src/database/transport/backup/backup-state.ts'
import { sql } from '../../src/database/client/sql.ts'
import { holdCounting } from '../../src/db/workspaces/mail-parts.ts'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, assertRefused, type Answer } from '../support/ask.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { signIn } from '../support/sign-in.ts'
import { until } from '../support/until.ts'

const api = await startApi({ entry: operatorEntryPoints() })
const { db } = api.service
const acme = await api.workspace('acme', { monthlyQuota: 100 })
const other = await api.workspace('other')
const viewer = await signIn(api, { in: { [acme.id]: 'viewer' } })

const line = 'GET /workspaces/acme/api/v1/overview'
const overviewOf = (answer: Answer): AnswerOf<'getOverview'>['body'] => {
  assertAnswered(answer, 200, { object: 'overview' })
  // The types hold what a verb answers to its schema.
  return answer.body as AnswerOf<'getOverview'>['body']
}
const read = async () => overviewOf(await viewer.ask(line))

/**
 * A call answers before a busy machine has counted; a later one answers what was counted behind it.
 */
const readCounted = (delivered: number, how = read) =>
  until(how, ({ period: { each } }) => each.at(-1)?.counts?.delivered === delivered)

const outcomes = { delivered: 0, assumed: 0, waiting: 0, bounced: 0, complained: 0, failed: 0 }
const nothing = {
  ...outcomes,
  ...{ sent: 0, opened: 0, opened_by_relay: 0, clicked: 0, opens_tracked: 0, clicks_tracked: 0 },
}

const send = async (to: string) => {
  const body = { from: `hello@${acme.domain}`, to, subject: 'Hello', text: 'Hello' }
  assert.equal((await ask(api.baseUrl, 'POST /api/v1/emails', { key: acme.key, body })).status, 202)
}

test('200: a new workspace has thirty quiet days, its quota, and its first steps before it', async () => {
  const overview = await readCounted(0)
  assert.equal(overview.period.each.length, 30)
  assert.deepEqual(overview.period.each.at(-1)?.counts, nothing)
  assert.deepEqual(
    [overview.quota.limit, overview.quota.used, overview.quota.remaining],
    [100, 0, 100],
  )
  assert.equal(overview.sending.status, 'active')
  assert.deepEqual(overview.steps, {
    domain: true,
    key: true,
    email: false,
    webhook: false,
    subscribers: false,
  })
  assert.equal(overview.captures, true)
})

test('200: mails are counted on their day by their outcome, those of a campaign too, and of no other workspace', async () => {
  await send('bounced@simulator.test')
  await send('someone@example.com')
  const settled = async () => {
    const [row] = await db.rows<{ count: number }>(sql`
      select count(*) from recipient where workspace_id = ${acme.id} and status in ('delivered', 'bounced')`)
    return row?.count === 2
  }
  await until(settled)
  await addCampaign(acme.id, { recipients: 10, delivered: 6, bounced: 1, complained: 2, failed: 1 })
  await api.moveClock('10 seconds')
  const {
    period: { each: days },
    steps,
    quota,
  } = await readCounted(5)
  // The campaign's list is as an older version froze it: how its deliveries are known was not
  // counted.
  assert.deepEqual(days.at(-1)?.counts, {
    delivered: 5,
    assumed: null,
    waiting: 2,
    bounced: 2,
    complained: 2,
    failed: 1,
    // Two single mails, and those of the campaign that did not fail.
    ...{ sent: 11, opened: 0, opened_by_relay: 0, clicked: 0 },
    // Of the campaign: the single mail that arrived has no tracking.
    ...{ opens_tracked: 6, clicks_tracked: 6 },
  })
  assert.deepEqual(days.at(-2)?.counts, nothing)
  assert.equal(steps.email, true)
  assert.equal(quota.used, 2)
  const session = await signIn(api, { in: { [other.id]: 'viewer' } })
  const others = await readCounted(0, async () =>
    overviewOf(await session.ask('GET /workspaces/other/api/v1/overview')),
  )
  assert.equal(others.period.each.at(-1)?.counts?.delivered, 0)
  assertRefused(await session.ask(line), 'not_found')
})

test('200: our notices to a workspace, and refused messages, do not count as its mails', async () => {
  const quiet = await api.workspace('quiet')
  for (const [notice, refused] of [
    [true, false],
    [false, true],
  ])
    await db.count(sql`
      with m as (
        insert into message (workspace_id, id, head, subject, message_id, created_at, quota_month, notice, refused_at)
        select ${quiet.id}, ${api.service.makeId()}, '{}', '', ${String(notice)}, t, '2026-01-01', ${notice}, case when ${refused} then t end
        from facteur_now() t returning *)
      insert into recipient (workspace_id, message_id, position, kind, email, address_key, status, state, lane, next_at)
      select workspace_id, id, 0, 'to', 'a@example.com', 'a@example.com', 'delivered', 'settled', 'transactional', created_at from m`)
  const session = await signIn(api, { in: { [quiet.id]: 'viewer' } })
  const {
    period: { each: days },
    steps,
  } = await readCounted(0, async () =>
    overviewOf(await session.ask('GET /workspaces/quiet/api/v1/overview')),
  )
  assert.equal(steps.email, false)
  assert.deepEqual(days.at(-1)?.counts, nothing)
})

test('200: while one call counts, another reads what was counted before', async () => {
  const before = (await read()).period.each.at(-1)?.counts
  await addCampaign(acme.id, { recipients: 3, delivered: 3, bounced: 0, complained: 0, failed: 0 })
  await api.moveClock('20 seconds')
  await db.transaction(async (tx) => {
    assert.equal(await holdCounting(tx, acme.id, 5_000), true)
    assert.deepEqual((await read()).period.each.at(-1)?.counts, before)
  })
  const delivered = (before?.delivered ?? 0) + 3
  assert.equal((await readCounted(delivered)).period.each.at(-1)?.counts?.delivered, delivered)
})

test('200: the mails of a day are counted in parts, each again while its results may change, and a late bounce is found', async () => {
  const busy = await api.workspace('busy')
  const session = await signIn(api, { in: { [busy.id]: 'viewer' } })
  const today = async () =>
    overviewOf(await session.ask('GET /workspaces/busy/api/v1/overview')).period.each.at(-1)?.counts
  const parts = () =>
    db.rows<{ mails: number; countedAt: Date }>(sql`
    select (delivered + bounced + waiting)::int as mails, counted_at from mail_part
    where workspace_id = ${busy.id} and day = (facteur_now() at time zone 'utc')::date order by from_id`)
  await addMails(busy.id, 2_500)
  await until(today, (counts) => counts?.delivered === 2_500)
  const before = await parts()
  assert.deepEqual(
    before.map(({ mails }) => mails),
    [1_000, 1_000, 500],
  )
  await addMails(busy.id, 100)
  await api.moveClock('10 seconds')
  await until(today, (counts) => counts?.delivered === 2_600)
  // The first thousand were accepted an instant before, so that they are valid for five seconds as
  // well.
  assert.deepEqual(
    (await parts()).map(({ mails }) => mails),
    [1_000, 1_000, 600],
  )
  await db.count(sql`
    update recipient set status = 'bounced' where workspace_id = ${busy.id}
      and message_id = (select id from message where workspace_id = ${busy.id} order by id limit 1)`)
  await api.moveClock('10 seconds')
  await until(today, (counts) => counts?.bounced === 1 && counts.delivered === 2_599)
})

/** Delivered mails that were accepted within the last seconds of the day so far. */
async function addMails(workspaceId: number, count: number): Promise<void> {
  const ids = Array.from({ length: count }, () => api.service.makeId())
  await db.count(sql`
    insert into message (workspace_id, id, head, subject, message_id, created_at, quota_month)
    select ${workspaceId}, id, '{}', '', id::text, facteur_now(), '2026-01-01' from unnest(${ids}::uuid[]) id`)
  await db.count(sql`
    insert into recipient (workspace_id, message_id, position, kind, email, address_key, status, state, lane, next_at)
    select ${workspaceId}, id, 0, 'to', 'a@example.com', 'a@example.com', 'delivered', 'settled', 'transactional', facteur_now()
    from unnest(${ids}::uuid[]) id`)
}

test('200: a workspace that bounces too much is suspended, and the numbers say why', async () => {
  await acme.setReputation({ handOffs: 200, bounces: 12, complaints: 0 })
  const { sending } = await read()
  assert.equal(sending.status, 'suspended')
  assert.deepEqual(
    [sending.bounce_rate, sending.bounce_rate_max, sending.complaint_rate],
    [0.06, 0.05, 0],
  )
})

/**
 * A campaign's ledger as it would be after a send: what is counted is read of it, not of how it
 * came about.
 */
async function addCampaign(
  workspaceId: number,
  counts: {
    recipients: number
    delivered: number
    bounced: number
    complained: number
    failed: number
  },
): Promise<void> {
  const id = api.service.makeId()
  await db.count(sql`
    insert into campaign (workspace_id, id, name, subject, format, source, status, created_at, updated_at, frozen_at, sent_at)
    values (${workspaceId}, ${id}, 'News', 'News', 'text', '{}', 'sent', facteur_now(), facteur_now(), facteur_now(), facteur_now())`)
  await db.count(sql`
    insert into campaign_run (workspace_id, campaign_id, last_id, opens_at, recipients, pending, sent, failed)
    values (${workspaceId}, ${id}, ${id}, facteur_now(), ${counts.recipients}, 0, ${counts.recipients - counts.failed}, ${counts.failed})`)
  for (const measure of ['delivered', 'bounced', 'complained'] as const) {
    await db.count(sql`
      insert into campaign_tally (workspace_id, campaign_id, measure, label, count) values (${workspaceId}, ${id}, ${measure}, '', ${counts[measure]})`)
  }
  await db.count(sql`
    insert into campaign_recipient (workspace_id, campaign_id, subscriber_id, email, state, status)
    select ${workspaceId}, ${id}, gen_random_uuid(), n || '@example.com', 'settled', 'queued' from generate_series(1, ${counts.failed}) n`)
  await db.count(
    sql`update campaign_recipient set status = 'failed' where workspace_id = ${workspaceId} and campaign_id = ${id}`,
  )
}

test('the disk by class, a failed backup, a copy and what waits are for an owner of every workspace', async () => {
  await until(
    () => db.value<number>(sql`select count(*)::int from disk_usage`),
    (rows) => (rows ?? 0) > 0,
  )
  const ofOne = await signIn(api, { in: { [acme.id]: 'owner' } })
  await db.count(sql`insert into backup_state (tried_at) values (facteur_now())`)
  await recordBackupFailure(db, 'the disk is full')
  await storeTlsResults(db, [
    { domain: 'a.test', policy: 'sts', result: 'certificate-expired', sessions: 2 },
    { domain: 'b.test', policy: 'no-policy-found', result: 'validation-failure', sessions: 1 },
    { domain: 'b.test', policy: 'tlsa', result: 'success', sessions: 9 },
  ])
  type Installation = AnswerOf<'getInstallation'>['body']
  const stateFor = async (session: Pick<typeof ofOne, 'ask'>): Promise<Installation['state']> => {
    const answer = await session.ask('GET /workspaces/acme/api/v1/installation')
    assertAnswered(answer, 200, { object: 'installation' })
    // The types hold what a verb answers to its schema.
    return (answer.body as Installation).state
  }
  assert.equal(await stateFor(ofOne), null)
  const ids = await db.column<number>(sql`select id from workspace`)
  const ofAll = await signIn(api, {
    in: Object.fromEntries(ids.map((id) => [id, 'owner' as const])),
  })
  const ownsAll = async (session: Pick<typeof ofOne, 'ask'>): Promise<unknown> => {
    const { body } = await session.ask('GET /people/api/v1/workspaces')
    return (body as AnswerOf<'listMyWorkspaces'>['body']).data[0]?.owns_all
  }
  assert.deepEqual([await ownsAll(ofOne), await ownsAll(ofAll)], [false, true])
  await db.count(sql`
    insert into recipient (workspace_id, message_id, position, kind, email, address_key, status, state, lane, next_at)
    values (${acme.id}, gen_random_uuid(), 0, 'to', 'a@example.com', 'a@example.com', 'queued', 'pending', 'held',
      facteur_now())`)
  const state = await stateFor(ofAll)
  assert.partialDeepStrictEqual(state, {
    disk: { bytes_per_day: null, full_at: null, is_disk_known: false },
    copy_share: null,
    tls_failures: { domains: 2, sessions: 3, held: 1 },
    throttled: [],
    withheld: 1,
  })
  const [measured] = await db.rows<{ at: Date }>(sql`select max(measured_at) as at from disk_usage`)
  assert.equal(state?.disk?.measured_at, measured?.at.toISOString())
  assert.ok(state?.disk?.classes.some(({ class: name, bytes }) => name === 'bodies' && bytes > 0))
  assert.notEqual(state?.backup_failed, null)
  // Nothing has tried again: no process has a schedule any more.
  await db.count(sql`update backup_state set tried_at = facteur_now() - interval '31 minutes'`)
  assert.equal((await stateFor(ofAll))?.backup_failed, null)
})
