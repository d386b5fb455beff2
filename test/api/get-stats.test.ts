/** GET /api/v1/stats: the figures of the overview by day, for programs. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import type { AnswerOf } from '../../src/contract/operations.ts'
import { addTrackingRoutes } from '../../src/entrypoints/pages/tracking/add-tracking-routes.ts'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, assertRefused, textAt } from '../support/ask.ts'
import { filter, gmailRelay, messagePaths, sentCampaign, open } from '../support/tracking-world.ts'
import { until } from '../support/until.ts'

const api = await startApi({
  entry: (service) => ({ addRoutes: (server) => addTrackingRoutes(server, service) }),
})
const shop = await api.workspace('shop')
const other = await api.workspace('other')

type Stats = AnswerOf<'getStats'>['body']
const read = async (key: string, query = ''): Promise<Stats> => {
  const answer = await ask(api.baseUrl, `GET /api/v1/stats${query}`, { key })
  assertAnswered(answer, 200, { object: 'stats', by: 'day' })
  // The types hold what a verb answers to its schema.
  return answer.body as Stats
}
const send = async (to: string) => {
  const body = { from: `hello@${shop.domain}`, to, subject: 'Hello', text: 'Hello' }
  assertAnswered(await ask(api.baseUrl, 'POST /api/v1/emails', { key: shop.key, body }), 202)
}
/** The identifier of a delivered message with a link, whose opens and clicks are recorded. */
async function trackedMail(workspace: typeof shop): Promise<string> {
  const answer = await ask(api.baseUrl, 'POST /api/v1/emails', {
    key: workspace.key,
    body: {
      ...{ from: `hello@${workspace.domain}`, to: 'ada@example.com', subject: 'Hello' },
      ...{ html: '<a href="https://example.com/">Go</a>', track_opens: true, track_clicks: true },
    },
  })
  assertAnswered(answer, 202)
  await workspace.capturedMails(textAt(answer, 'id'), 1)
  return textAt(answer, 'id')
}
const outcomes = { delivered: 0, assumed: 0, waiting: 0, bounced: 0, complained: 0, failed: 0 }
const nothing = {
  ...outcomes,
  ...{ sent: 0, opened: 0, opened_by_relay: 0, clicked: 0, opens_tracked: 0, clicks_tracked: 0 },
}

test('200: the mails of each day by their outcome, of this workspace alone, with totals', async () => {
  await send('ada@example.com')
  await send('ines@example.com')
  const mailsIn = ({ totals: { delivered, waiting, ...rest } }: Stats): number =>
    delivered + waiting + rest.bounced + rest.complained + rest.failed
  const counted = await until(
    () => read(shop.key),
    (stats) => stats.complete && mailsIn(stats) === 2,
  )
  assert.equal(counted.data.length, 30)
  const today = counted.data.at(-1)
  assert.deepEqual(today?.counts, counted.totals)
  const otherStats = await until(
    () => read(other.key),
    ({ complete }) => complete,
  )
  assert.deepEqual(otherStats.totals, nothing)
  const day = `${counted.data[3]?.day}T12:00:00Z`
  const range = await read(shop.key, `?from=${day}&to=${counted.data[5]?.day}T00:00:00Z&by=day`)
  assert.deepEqual(
    range.data.map((item) => item.day),
    counted.data.slice(3, 6).map((item) => item.day),
  )
  assert.deepEqual(range.totals, nothing)
})

test('200: what left, was opened and clicked, by people and through relays; scanners count nowhere', async () => {
  const tracked = await api.workspace('tracked')
  const track = () => trackedMail(tracked)
  const [relayed, clicked, scanned] = [await track(), await track(), await track()]
  await open(api, messagePaths(api, tracked, relayed).pixel, gmailRelay)
  await open(api, messagePaths(api, tracked, relayed).pixel)
  await open(api, messagePaths(api, tracked, clicked).link(0))
  await open(api, messagePaths(api, tracked, scanned).link(0), filter)
  const campaign = await sentCampaign(api, tracked, { secondsAgo: 1 })
  await open(api, campaign.pixel(0), gmailRelay)
  await open(api, campaign.link(1, 0))
  await open(api, campaign.pixel(2), filter)
  await api.moveClock('10 seconds')
  const expected = { sent: 6, opened: 4, opened_by_relay: 2, clicked: 2, opens_tracked: 5 }
  const isCounted = ({ complete, totals }: Stats): boolean =>
    complete && isDeepStrictEqual({ ...totals, ...expected }, totals)
  await until(() => read(tracked.key), isCounted)
  // As a version that counted less leaves a day, also one whose outcomes are final.
  for (const table of ['mail_part', 'mail_day'])
    await api.run(
      `update ${table} set opened = 0, opens_tracked = null, clicks_tracked = null where workspace_id = ${tracked.id}`,
    )
  await until(() => read(tracked.key), isCounted)
})

test('422, 403: no time, another step, a key that reads no statistics', async () => {
  for (const query of ['?from=soon', '?to=2026-13-01T00:00:00Z', '?by=hour'])
    assertRefused(
      await ask(api.baseUrl, `GET /api/v1/stats${query}`, { key: shop.key }),
      'validation_error',
    )
  const key = await shop.makeKey(['emails:send'])
  assertRefused(await ask(api.baseUrl, 'GET /api/v1/stats', { key }), 'insufficient_scope')
})
