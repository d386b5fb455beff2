/**
 * The window of the rate on a clock that stands still: who waits how long, and what every answer
 * says of it (semantics 4: Rates).
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, assertRefused, type Answer } from '../support/ask.ts'
import { stopClock } from '../support/database.ts'

const api = await startApi({ workers: false })
const at = (instant: string): Promise<void> => stopClock(api.database.url, instant)
const headersOf = ({ headers }: Answer, ...names: string[]): (string | null)[] =>
  names.map((name) => headers.get(name))

test('a request counts for sixty whole seconds: made at 0.9 s it still counts at 60.1 s, and no longer at 61 s', async () => {
  const { key } = await api.workspace('window', { ratePerMinute: 2 })
  const account = (): Promise<Answer> => ask(api.baseUrl, 'GET /api/v1/me', { key })
  await at('2026-11-21T12:00:00.900Z')
  assertAnswered(await account(), 200)
  assertAnswered(await account(), 200)
  await at('2026-11-21T12:01:00.100Z')
  assertRefused(await account(), 'rate_limit_exceeded')
  await at('2026-11-21T12:01:01.000Z')
  assertAnswered(await account(), 200)
})

test('429: Retry-After is never longer than the window, and agrees with every header and detail of the rate', async () => {
  const { key } = await api.workspace('waits', { ratePerMinute: 1 })
  const account = (): Promise<Answer> => ask(api.baseUrl, 'GET /api/v1/me', { key })
  await at('2026-11-21T13:00:00.000Z')
  const first = await account()
  assert.deepEqual(headersOf(first, 'ratelimit-policy', 'ratelimit'), [
    '"minute";q=1;w=60',
    '"minute";r=0;t=60',
  ])
  for (const [instant, seconds] of [
    ['2026-11-21T13:00:00.000Z', 60],
    ['2026-11-21T13:00:30.500Z', 31],
    ['2026-11-21T13:01:00.000Z', 1],
  ] as const) {
    await at(instant)
    const answer = await account()
    assertRefused(answer, 'rate_limit_exceeded', { limit: 1, retry_after: seconds })
    assert.deepEqual(headersOf(answer, 'retry-after', 'ratelimit-reset'), [
      String(seconds),
      String(seconds),
    ])
    const resetAt = Math.floor(Date.parse(instant) / 1000) + seconds
    assert.deepEqual(headersOf(answer, 'x-ratelimit-reset', 'ratelimit'), [
      String(resetAt),
      `"minute";r=0;t=${seconds}`,
    ])
  }
})

test('401 and 403 say how to authenticate, and which permission is missing', async () => {
  const { key, makeKey, revokeKey } = await api.workspace('challenge')
  const challenge = async (bearer?: string): Promise<string | null> =>
    (
      await ask(api.baseUrl, 'GET /api/v1/subscribers', {
        ...(bearer !== undefined && { key: bearer }),
      })
    ).headers.get('www-authenticate')
  assert.equal(await challenge(), 'Bearer realm="Facteur"')
  assert.match(
    (await challenge('nonsense')) ?? '',
    /^Bearer realm="Facteur", error="invalid_token", .*unknown/,
  )
  const narrow = await makeKey(['emails:send'])
  assert.equal(
    await challenge(narrow),
    'Bearer realm="Facteur", error="insufficient_scope", scope="subscribers:read"',
  )
  await revokeKey(narrow)
  assert.match(
    (await challenge(narrow)) ?? '',
    /^Bearer realm="Facteur", error="invalid_token", .*revoked/,
  )
  assert.equal(await challenge(key), null)
})
