/**
 * The database's clock jumps an hour forward and back: limits count minutes, mail leaves once, and
 * nobody is signed out or kept out.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { takeSignUp } from '../../src/db/forms/sign-up-limits.ts'
import { takeTry } from '../../src/db/users/sign-in-limits.ts'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, textAt } from '../support/ask.ts'
import { at } from '../support/json.ts'
import { signIn } from '../support/sign-in.ts'
import { until } from '../support/until.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'

const api = await startApi({ entry: operatorEntryPoints() })
const minutes = (count: number): string => new Date(Date.now() + count * 60_000).toISOString()

test('a key that used up its minute before the clock went back is not refused for an hour', async () => {
  const shop = await api.workspace('rates', { ratePerMinute: 5 })
  const status = async (): Promise<number> =>
    (await ask(api.baseUrl, 'GET /api/v1/me', { key: shop.key })).status
  const statuses = async (count: number): Promise<number[]> => {
    const all: number[] = []
    for (let calls = 0; calls < count; calls++) all.push(await status())
    return all
  }
  await api.moveClock('1 hour')
  assert.deepEqual(await statuses(6), [200, 200, 200, 200, 200, 429])
  await api.moveClock('0 seconds')
  assert.deepEqual(await statuses(6), [200, 200, 200, 200, 200, 429])
  await api.moveClock('1 hour')
  assert.equal(await status(), 200)
  await api.moveClock('0 seconds')
})

test('sign-ins and sign-ups that reached a limit before the clock went back wait for no hour', async () => {
  const { db } = api.service
  const { id } = await api.workspace('limits')
  const trySignIn = (): Promise<number> => takeTry(db, [{ bucket: 'ada', max: 1, minutes: 15 }])
  const signUp = (): Promise<boolean> => takeSignUp(db, id, { bucket: 'network', max: 1 })
  await api.moveClock('1 hour')
  assert.deepEqual([await trySignIn(), await signUp(), await signUp()], [0, true, false])
  await api.moveClock('0 seconds')
  assert.ok((await trySignIn()) <= 15 * 60)
  assert.deepEqual([await signUp(), await signUp()], [true, false])
  await api.moveClock('59 minutes 59 seconds')
  assert.equal(await signUp(), false)
  await api.moveClock('1 hour 1 second')
  assert.equal(await signUp(), true)
  await api.moveClock('0 seconds')
})

test('scheduled mail leaves once its time has come by the clock, once; what was scheduled after the way back waits for its own time', async () => {
  const shop = await api.workspace('schedules')
  const send = async (extra: object): Promise<string> =>
    textAt(
      await ask(api.baseUrl, 'POST /api/v1/emails', {
        key: shop.key,
        body: {
          from: `hello@${shop.domain}`,
          to: 'ada@example.com',
          subject: 'Bonjour',
          text: 'Bonjour',
          ...extra,
        },
      }),
      'id',
    )
  const statusOf = async (id: string): Promise<unknown> =>
    at((await ask(api.baseUrl, `GET /api/v1/emails/${id}`, { key: shop.key })).body, 'status')
  const sent = async (id: string): Promise<unknown> =>
    until(
      () => statusOf(id),
      (status) => status === 'delivered',
    )
  const first = await send({ scheduled_at: minutes(30) })
  await api.moveClock('1 hour')
  await sent(first)
  const there = await send({})
  await sent(there)
  await api.moveClock('0 seconds')
  const later = await send({ scheduled_at: minutes(30) })
  await sent(await send({}))
  assert.equal(await statusOf(later), 'queued')
  assert.equal(await statusOf(first), 'delivered')
  const copies = await api.service.db.rows<{ messageId: string; count: number }>({
    name: 'copies',
    text: `select message_id, count(*)::int as count from captured_mail where workspace_id = $1 group by 1`,
    values: [shop.id],
  })
  assert.deepEqual(
    copies.map(({ count }) => count),
    [1, 1, 1],
  )
  await api.moveClock('31 minutes')
  await sent(later)
  await api.moveClock('0 seconds')
})

test('a user stays signed in, whichever way the clock jumps, and signs in again meanwhile', async () => {
  const shop = await api.workspace('users')
  const path = `GET /workspaces/${shop.domain.replace('.test', '')}/api/v1/messages`
  const before = await signIn(api, { in: { [shop.id]: 'owner' } })
  await api.moveClock('1 hour')
  assertAnswered(await before.ask(path), 200)
  const there = await signIn(api, { in: { [shop.id]: 'owner' } })
  await api.moveClock('0 seconds')
  for (const user of [before, there, await signIn(api, { in: { [shop.id]: 'owner' } })])
    assertAnswered(await user.ask(path), 200)
})
