/**
 * Signing in: the checks, answers that reveal no account, the limits on guesses, and the ends of a
 * session.
 */
import assert from 'node:assert/strict'
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { test } from 'node:test'
import { totpOf } from '../../src/core/users/totp.ts'
import { sql } from '../../src/database/client/sql.ts'
import { startApi } from '../support/api.ts'
import { assertAnswered, assertRefused, textAt } from '../support/ask.ts'
import { stopClock } from '../support/database.ts'
import { at } from '../support/json.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { browser, signIn } from '../support/sign-in.ts'
import { until } from '../support/until.ts'

const api = await startApi({ entry: operatorEntryPoints({ trustProxy: true }), workers: false })
const stranger = browser(api, null)
const password = 'correct horse battery'
let visitors = 1
/** A network without an earlier sign-in. */
const from = (): Record<string, string> => ({ 'x-forwarded-for': `203.0.113.${visitors++}` })

const enter = (body: object, headers: Record<string, string> = from()) =>
  stranger.ask('POST /people/api/v1/session', { body, headers })

test('200: the right password signs in, under a cookie that no script reads and no other site sends', async () => {
  const { email } = await signIn(api, { password })
  const answer = await enter({ email: email.toUpperCase(), password })
  assertAnswered(answer, 200, { person: { email } })
  const setCookie = answer.headers.get('set-cookie')
  assert.match(
    setCookie ?? '',
    /^facteur-session=[\w-]{43}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/,
  )
  assertAnswered(await browser(api, setCookie).ask('GET /people/api/v1/session'), 200, {
    person: { email },
  })
})

test('a wrong password and an address without an account are answered alike, in words and by the same work', async (t) => {
  const { email } = await signIn(api, { password })
  const bodies = [
    { email, password: 'wrong' },
    { email: 'nobody@example.com', password: 'wrong' },
  ]
  const [wrong, unknown] = [await enter(bodies[0] ?? {}), await enter(bodies[1] ?? {})]
  assert.deepEqual(wrong.body, unknown.body)
  // Argon2 is the work: both derive one key, with the same parameters. It goes on as before, and is
  // counted.
  const { mock } = t.mock.method(crypto, 'argon2')
  syncBuiltinESMExports()
  t.after(() => {
    mock.restore()
    syncBuiltinESMExports()
  })
  const derived: unknown[][] = []
  for (const body of bodies) {
    assertRefused(await enter(body), 'wrong_credentials')
    derived.push(
      mock.calls.map(({ arguments: [algorithm, { nonce, ...rest }] }) => [
        algorithm,
        Buffer.byteLength(nonce),
        rest,
      ]),
    )
    mock.resetCalls()
  }
  assert.equal(derived[0]?.length, 1)
  assert.deepEqual(derived[0], derived[1])
})

test('429 with Retry-After: the eleventh guess from a network; others, and the user from elsewhere, may sign in', async () => {
  const { email } = await signIn(api, { password })
  const other = await signIn(api, { password })
  const here = from()
  for (let guess = 0; guess < 10; guess++)
    assertRefused(await enter({ email, password: 'guess' }, here), 'wrong_credentials')
  const braked = await enter({ email, password }, here)
  assertRefused(braked, 'rate_limit_exceeded')
  assert.ok(Number(braked.headers.get('retry-after')) <= 900)
  assertAnswered(await enter({ email: other.email, password }, here), 200)
  assertAnswered(await enter({ email, password }), 200)
})

test('429: the sixty-first guess of a network in a quarter of an hour, at any addresses', async () => {
  const here = from()
  assertRefused(
    await enter({ email: 'guess@example.com', password: 'guess' }, here),
    'wrong_credentials',
  )
  const { email } = await signIn(api, { password })
  const bucket = `network ${here['x-forwarded-for']}`
  await api.service.db.count(sql`update sign_in_rate set tries = 59 where bucket = ${bucket}`)
  assertRefused(
    await enter({ email: 'other@example.com', password: 'guess' }, here),
    'wrong_credentials',
  )
  assertRefused(await enter({ email, password }, here), 'rate_limit_exceeded')
  assertAnswered(await enter({ email, password }), 200)
})

test('guesses from everywhere limit one another, never a user on a network they signed in from before', async () => {
  const { email } = await signIn(api, { password })
  const home = from()
  assertAnswered(await enter({ email, password }, home), 200)
  await api.service.db.count(sql`
    update sign_in_rate set tries = 30 where bucket = ${`address ${email}`}`)
  assertRefused(await enter({ email, password }), 'rate_limit_exceeded')
  assertAnswered(await enter({ email, password }, home), 200)
})

test('twenty guesses at the same time are limited like twenty in a row', async () => {
  const { email } = await signIn(api, { password })
  const here = from()
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => enter({ email, password: 'guess' }, here)),
  )
  assert.equal(answers.filter(({ status }) => status === 401).length, 10)
})

test('a token that was planted is never signed in: each sign-in makes a new one, and the old session dies', async () => {
  const { email, ask, cookie } = await signIn(api, { password })
  const answer = await ask('POST /people/api/v1/session', {
    body: { email, password },
    headers: from(),
  })
  assertAnswered(answer, 200)
  assert.notEqual(answer.headers.get('set-cookie')?.split(';')[0], cookie)
  assertRefused(await ask('GET /people/api/v1/session'), 'not_signed_in')
  const planted = `facteur-session=${'A'.repeat(43)}`
  const second = await enter({ email, password }, { ...from(), cookie: planted })
  assert.notEqual(second.headers.get('set-cookie')?.split(';')[0], planted)
})

test('a code of the app is asked for once it is switched on, and each is taken once', async () => {
  const ada = await signIn(api, { password })
  const started = await ada.ask('POST /people/api/v1/person/totp')
  const secret = textAt(started, 'secret')
  assert.match(textAt(started, 'uri'), /^otpauth:\/\/totp\/.*secret=[A-Z2-7]{32}/)
  // Nothing is asked for until a first code was given.
  assertAnswered(await enter({ email: ada.email, password }), 200)
  const step = Math.floor(Date.now() / 30_000)
  await stopClock(api.database.url, new Date(step * 30_000 + 15_000).toISOString())
  assertRefused(
    await ada.ask('POST /people/api/v1/person/totp/confirmation', { body: { code: '000000' } }),
    'wrong_credentials',
  )
  const confirmed = await ada.ask('POST /people/api/v1/person/totp/confirmation', {
    body: { code: totpOf(secret, step - 1) },
  })
  assertAnswered(confirmed, 200)
  assertRefused(await enter({ email: ada.email, password }), 'second_factor_required')
  assertRefused(await enter({ email: ada.email, password: 'wrong' }), 'wrong_credentials')
  assertRefused(await enter({ email: ada.email, password, code: '123' }), 'wrong_credentials')
  const code = totpOf(secret, step)
  assertAnswered(await enter({ email: ada.email, password, code }), 200)
  assertRefused(await enter({ email: ada.email, password, code }), 'wrong_credentials')
  // A recovery code works once too, however it is written.
  const recovery = String(at(confirmed.body, 'codes', '0'))
  assertAnswered(
    await enter({ email: ada.email, password, code: recovery.toUpperCase().replace('-', ' ') }),
    200,
  )
  assertRefused(await enter({ email: ada.email, password, code: recovery }), 'wrong_credentials')
  assertAnswered(await ada.ask('GET /people/api/v1/person/ways-in'), 200, {
    totp: true,
    recovery_codes: 9,
  })
  assertAnswered(await ada.ask('DELETE /people/api/v1/person/totp'), 200)
  assertAnswered(await enter({ email: ada.email, password }), 200)
  await api.moveClock('0')
})

test('sessions are listed, ended one by one or all others at once, and end with a change of the password', async () => {
  const ada = await signIn(api, { password })
  const sessionAt = async () =>
    browser(api, (await enter({ email: ada.email, password })).headers.get('set-cookie'))
  const [phone, laptop] = [await sessionAt(), await sessionAt()]
  const list = await ada.ask('GET /people/api/v1/sessions')
  assert.equal(Object(at(list.body, 'data')).length, 3)
  const phoneId = textAt(await phone.ask('GET /people/api/v1/session'), 'id')
  assertAnswered(await ada.ask(`DELETE /people/api/v1/sessions/${phoneId}`), 200)
  assertRefused(await phone.ask('GET /people/api/v1/session'), 'not_signed_in')
  const somebody = await signIn(api)
  const laptopId = textAt(await laptop.ask('GET /people/api/v1/session'), 'id')
  assertRefused(await somebody.ask(`DELETE /people/api/v1/sessions/${laptopId}`), 'not_found')
  const changed = await ada.ask('POST /people/api/v1/person/password', {
    body: { password: 'another good one' },
  })
  assertAnswered(changed, 200)
  assertRefused(await laptop.ask('GET /people/api/v1/session'), 'not_signed_in')
  assertRefused(await ada.ask('GET /people/api/v1/session'), 'not_signed_in')
  const here = browser(api, changed.headers.get('set-cookie'))
  assertAnswered(await here.ask('GET /people/api/v1/session'), 200)
  assertRefused(await enter({ email: ada.email, password }), 'wrong_credentials')
  const other = browser(
    api,
    (await enter({ email: ada.email, password: 'another good one' })).headers.get('set-cookie'),
  )
  assertAnswered(await here.ask('DELETE /people/api/v1/sessions'), 200, { ended: 1 })
  assertRefused(await other.ask('GET /people/api/v1/session'), 'not_signed_in')
  assertAnswered(await here.ask('DELETE /people/api/v1/session'), 200)
  assertRefused(await here.ask('GET /people/api/v1/session'), 'not_signed_in')
})

test('403 fresh_sign_in_required: a quarter of an hour after the user proved who they are; proving it again is enough', async () => {
  const ada = await signIn(api, { password })
  await api.service.db.count(sql`
    update user_session set shown_at = shown_at - interval '15 minutes 1 second' where user_id = ${ada.userId}`)
  const change = () => ada.ask('POST /people/api/v1/person/recovery-codes')
  assertRefused(await change(), 'fresh_sign_in_required', { within_minutes: 15 })
  const headers = from()
  assertRefused(
    await ada.ask('POST /people/api/v1/session/confirmation', { body: { password: 'x' }, headers }),
    'wrong_credentials',
  )
  assertRefused(await change(), 'fresh_sign_in_required')
  assertAnswered(
    await ada.ask('POST /people/api/v1/session/confirmation', { body: { password }, headers }),
    200,
  )
  assertRefused(await change(), 'conflict', { reason: 'no_second_factor' })
})

test('a session without use for two weeks is over, and any after ninety days', async () => {
  const [idle, busy] = [await signIn(api), await signIn(api)]
  await api.service.db.count(sql`
    update user_session set expires_at = facteur_now() where user_id = ${idle.userId}`)
  assertRefused(await idle.ask('GET /people/api/v1/session'), 'not_signed_in')
  await api.service.db.count(sql`
    update user_session set seen_at = facteur_now() - interval '2 minutes', created_at = facteur_now() - interval '89 days',
      expires_at = facteur_now() + interval '1 minute' where user_id = ${busy.userId}`)
  assertAnswered(await busy.ask('GET /people/api/v1/session'), 200)
  const left = async (): Promise<number> => {
    const [row] = await api.service.db.rows<{ hours: number }>(sql`
      select extract(epoch from expires_at - facteur_now())::float8 / 3600 as hours from user_session where user_id = ${busy.userId}`)
    return row?.hours ?? 0
  }
  // Noted beside the call.
  await until(left, (observed) => observed >= 1)
  assert.ok((await left()) <= 24)
})

test('422: passwords that are short, simple or made of the address are not taken', async () => {
  const ada = await signIn(api, { email: 'ada.lovelace@example.com', password })
  for (const weak of ['short', 'aaaaaaaaaaaaaaaa', 'ada.lovelace@example.com', 'password123456']) {
    assertRefused(
      await ada.ask('POST /people/api/v1/person/password', { body: { password: weak } }),
      'validation_error',
      {
        path: 'password',
      },
    )
  }
})
