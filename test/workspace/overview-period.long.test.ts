/**
 * The results of an overview equal what a plain evaluator finds in the same mails, in two time
 * zones and over a day of summer time; no workspace reads another's.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AnswerOf } from '../../src/contract/operations.ts'
import { foldStatusTally } from '../../src/db/audience/status-tally.ts'
import { sql } from '../../src/database/client/sql.ts'
import { firstIdAt } from '../../src/ground/ids.ts'
import { startApi, type TestWorkspace } from '../support/api.ts'
import { ask, assertAnswered, assertRefused } from '../support/ask.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { signIn } from '../support/sign-in.ts'
import { until } from '../support/until.ts'

type Overview = AnswerOf<'getOverview'>['body']

const api = await startApi({ entry: operatorEntryPoints(), workers: false })
const { db } = api.service
const paris = await api.workspace('paris')
const lima = await api.workspace('lima')

const dayMs = 86_400_000
const hourMs = 3_600_000
/** Clocks went forward in Paris on the last Sunday of March before. */
const year = new Date().getUTCFullYear() + 1
const now = Date.UTC(year, 3, 20, 12)
const summerBegins = Date.UTC(year, 2, 31 - new Date(Date.UTC(year, 2, 31)).getUTCDay(), 1)
const zones = { paris: 'Europe/Paris', lima: 'America/Lima' }

const setClock = (ms: number): Promise<void> =>
  api.moveClock(`${Math.round((ms - Date.now()) / 1000)} seconds`)

interface Mail {
  at: number
  status: 'delivered' | 'bounced' | 'complained' | 'failed' | 'sent'
  opened: 'person' | 'relay' | null
  clicked: boolean
  isTracked: boolean
}

/** Numbers of a seed, from 0 to below 1. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
}

const arrives = (status: Mail['status']): boolean =>
  status === 'delivered' || status === 'complained'

/** Mails of sixty days, and around each midnight near the change of clocks. */
function makeMails(seed: number): Mail[] {
  const next = seeded(seed)
  const statuses = ['delivered', 'delivered', 'bounced', 'complained', 'failed', 'sent'] as const
  const times = Array.from({ length: 240 }, () => now - 1 - Math.floor(next() * 62 * dayMs))
  for (let day = -2; day <= 2; day++)
    for (const hours of [-4, -3, -2, -1, 0, 4, 5])
      for (const ms of [-1, 0])
        times.push(summerBegins - hourMs + day * dayMs + hours * hourMs + ms)
  return times.map((at) => {
    const status = statuses[Math.floor(next() * statuses.length)] ?? 'sent'
    const isTracked = next() < 0.7
    const isOpen = isTracked && arrives(status) && next() < 0.5
    return {
      ...{ at, status },
      opened: isOpen ? (next() < 0.4 ? 'relay' : 'person') : null,
      clicked: isOpen && next() < 0.3,
      isTracked,
    }
  })
}

async function storeMails(workspaceId: number, mails: Mail[]): Promise<void> {
  for (const [n, { at, status, opened, clicked, isTracked }] of mails.entries()) {
    const head = isTracked ? '{"track":{"opens":true,"clicks":true}}' : '{}'
    const id = `${firstIdAt(at).slice(0, 13)}-7000-8000-${String(n + 1).padStart(12, '0')}`
    const moment = new Date(at).toISOString()
    await db.count(sql`
      insert into message (workspace_id, id, head, subject, message_id, created_at, quota_month)
      values (${workspaceId}, ${id}, ${head}, '', ${id}, ${moment}, '2026-01-01')`)
    await db.count(sql`
      insert into recipient (workspace_id, message_id, position, kind, email, address_key, status, state, lane,
        next_at, opened_at, clicked_at)
      values (${workspaceId}, ${id}, 0, 'to', 'a@example.com', 'a@example.com', ${status}, 'settled',
        'transactional', ${moment}, ${opened === null ? null : moment}, ${clicked ? moment : null})`)
    if (opened !== null)
      await db.count(sql`
        insert into engagement (workspace_id, id, message_id, recipient_position, kind, visitor, user_agent, at)
        values (${workspaceId}, ${id.replace('-7000-', '-7001-')}, ${id}, 0, 'open', ${opened}, '', ${moment})`)
  }
}

const dayIn = (zone: string, ms: number): string =>
  new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short' }).format(ms)

/** What a period of mails adds up to, mail by mail. */
function evaluate(mails: Mail[], { zone, from, to }: { zone: string; from: string; to: string }) {
  const own = mails.filter(({ at }) => dayIn(zone, at) >= from && dayIn(zone, at) <= to)
  const count = (matches: (mail: Mail) => boolean): number => own.filter(matches).length
  return {
    delivered: count(({ status }) => status === 'delivered'),
    complained: count(({ status }) => status === 'complained'),
    bounced: count(({ status }) => status === 'bounced'),
    failed: count(({ status }) => status === 'failed'),
    waiting: count(({ status }) => status === 'sent'),
    sent: count(({ status }) => status !== 'failed'),
    opened: count(({ opened }) => opened !== null),
    opened_by_relay: count(({ opened }) => opened === 'relay'),
    clicked: count(({ clicked }) => clicked),
    opens_tracked: count(({ isTracked, status }) => isTracked && arrives(status)),
    clicks_tracked: count(({ isTracked, status }) => isTracked && arrives(status)),
  }
}

await setClock(now)
const viewers = {
  paris: await signIn(api, { in: { [paris.id]: 'viewer' } }),
  lima: await signIn(api, { in: { [lima.id]: 'viewer' } }),
}
type Slug = keyof typeof viewers

const read = async (slug: Slug, days: string): Promise<Overview> => {
  const answer = await viewers[slug].ask(`GET /workspaces/${slug}/api/v1/overview?days=${days}`)
  assertAnswered(answer, 200, { object: 'overview' })
  // The types hold what a verb answers to its schema.
  return answer.body as Overview
}
const readCounted = (slug: Slug, days: string): Promise<Overview> =>
  until(
    () => read(slug, days),
    ({ period }) => period.complete,
  )

function assertEqualPeriods(slug: Slug, mails: Mail[], { period }: Overview): void {
  const zone = zones[slug]
  assert.equal(period.time_zone, zone)
  assert.equal(period.each.length, period.days)
  for (const { day, counts } of period.each)
    assert.partialDeepStrictEqual(
      { day, ...counts },
      { day, ...evaluate(mails, { zone, from: day, to: day }) },
    )
  const [first = '', last = ''] = [period.each[0]?.day, period.each.at(-1)?.day]
  assert.equal(last, dayIn(zone, now))
  assert.partialDeepStrictEqual(period.totals, evaluate(mails, { zone, from: first, to: last }))
  const dayBack = (days: number): string =>
    new Date(Date.parse(first) - days * dayMs).toISOString().slice(0, 10)
  const before = { zone, from: dayBack(period.days), to: dayBack(1) }
  assert.partialDeepStrictEqual(period.before ?? {}, evaluate(mails, before))
}

const subscribe = (workspace: TestWorkspace, email: string) =>
  ask(api.baseUrl, 'POST /api/v1/subscribers', {
    key: workspace.key,
    body: { email, double_opt_in: false },
  })

const setZone = (workspaceId: number, zone: string) =>
  db.count(sql`update workspace set time_zone = ${zone} where id = ${workspaceId}`)

const mails = { paris: makeMails(35), lima: makeMails(36) }

test('200: results by day, of the period and of the one before, equal a plain evaluator’s in two zones', async () => {
  for (const [slug, { id }] of [
    ['paris', paris],
    ['lima', lima],
  ] as const) {
    await setZone(id, zones[slug])
    await storeMails(id, mails[slug])
  }
  for (const slug of ['paris', 'lima'] as const)
    for (const days of ['7', '30', '90'])
      assertEqualPeriods(slug, mails[slug], await readCounted(slug, days))
})

test('200: another time zone counts the days again, and the former one afterwards', async () => {
  await setZone(paris.id, 'America/Lima')
  await until(
    () => read('paris', '30'),
    ({ period }) => period.complete && period.time_zone === 'America/Lima',
  )
  await setZone(paris.id, zones.paris)
  assertEqualPeriods('paris', mails.paris, await readCounted('paris', '30'))
})

test('200: a day that a process of the version before counted by UTC is counted again', async () => {
  await db.count(sql`
    update mail_day set zone = 'UTC', delivered = 999 where workspace_id = ${paris.id}`)
  await db.count(sql`
    update mail_part set zone = 'UTC', delivered = 999 where workspace_id = ${paris.id}`)
  assertEqualPeriods('paris', mails.paris, await readCounted('paris', '30'))
})

test('200: subscribers change on the day of their zone, folded or not, in their workspace alone', async () => {
  // 23:30 UTC is the next day in Paris, and the same one in Lima.
  const evening = Date.UTC(year, 3, 10, 23, 30)
  await setClock(evening)
  for (const email of ['a@example.com', 'b@example.com'])
    assertAnswered(await subscribe(paris, email), 201)
  assertAnswered(await subscribe(lima, 'c@example.com'), 201)
  await setClock(now)
  const dayOf = async (slug: Slug): Promise<unknown[]> => {
    const { each, totals, before } = (await readCounted(slug, '30')).period
    const changed = each.find(({ subscribed }) => subscribed > 0)
    return [changed?.day, changed?.subscribed, totals.subscribed_change, before?.subscribed_change]
  }
  const expected = { paris: [`${year}-04-11`, 2, 2, 0], lima: [`${year}-04-10`, 1, 1, 0] }
  assert.deepEqual({ paris: await dayOf('paris'), lima: await dayOf('lima') }, expected)
  for (const { id } of [paris, lima])
    await foldStatusTally(db, id, { rowsMin: 1, days: 182, max: 100 })
  assert.deepEqual({ paris: await dayOf('paris'), lima: await dayOf('lima') }, expected)
  // As a process of the version before folds: with a day, and the moment of its fold.
  await db.count(sql`
    update subscriber_status_tally set at = facteur_now() where workspace_id = ${paris.id}`)
  assert.deepEqual(await dayOf('paris'), expected.paris)
})

test('200: days whose messages had expired before they were counted are not known, and hold nothing up', async () => {
  const expired = await api.workspace('expired')
  const session = await signIn(api, { in: { [expired.id]: 'viewer' } })
  await db.count(sql`
    insert into workspace_retention (workspace_id, class, days, changed_at)
    values (${expired.id}, 'messages', 40, facteur_now())`)
  const overview = await until(
    async () => (await session.ask('GET /workspaces/expired/api/v1/overview')).body as Overview,
    ({ period }) => period.complete,
  )
  assert.equal(overview.period.before, null)
})

test('422, 404: a length that no period has, and another workspace', async () => {
  assertRefused(
    await viewers.paris.ask('GET /workspaces/paris/api/v1/overview?days=8'),
    'validation_error',
  )
  assertRefused(await viewers.paris.ask('GET /workspaces/lima/api/v1/overview'), 'not_found')
})
