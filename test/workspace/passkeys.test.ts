/**
 * Passkeys: each challenge once, in its time and for its own user; a passkey signs in its own user,
 * on our pages alone.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { userLimits } from '../../src/contract/workspace/user-schemas.ts'
import { sql } from '../../src/database/client/sql.ts'
import { startApi } from '../support/api.ts'
import { assertAnswered, assertRefused, textAt, type Answer } from '../support/ask.ts'
import { makeAuthenticator, type Authenticator, type Lies } from '../support/authenticator.ts'
import { at } from '../support/json.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { browser, signIn, type Visitor } from '../support/sign-in.ts'
import { until } from '../support/until.ts'

const api = await startApi({ entry: operatorEntryPoints(), workers: false })
const { db } = api.service
const stranger = browser(api, null)
// Passkeys are for names of hosts, not for addresses.
const origin = api.baseUrl.replace('127.0.0.1', 'localhost')

interface Question {
  id: string
  challenge: string
}

const questionOf = (answer: Answer): Question => ({
  id: textAt(answer, 'challenge_id'),
  challenge: textAt(answer, 'options', 'challenge'),
})
const askNew = async (visitor: Visitor): Promise<Question> =>
  questionOf(await visitor.ask('POST /people/api/v1/person/passkeys/question'))
const askOne = async (): Promise<Question> =>
  questionOf(await stranger.ask('POST /people/api/v1/session/passkey/question'))

const add = (
  visitor: Visitor,
  device: Authenticator,
  { id, challenge }: Question,
  lies: Lies = {},
): Promise<Answer> =>
  visitor.ask('POST /people/api/v1/person/passkeys', {
    body: { challenge_id: id, name: 'Phone', response: device.register(challenge, lies) },
  })
const enter = (
  device: Authenticator,
  { id, challenge }: Question,
  lies: Lies = {},
): Promise<Answer> =>
  stranger.ask('POST /people/api/v1/session/passkey', {
    body: { challenge_id: id, response: device.answer(challenge, lies) },
  })

/** A user with a passkey. */
async function withPasskey(): Promise<Visitor & { device: Authenticator }> {
  const visitor = await signIn(api)
  const device = makeAuthenticator(origin)
  assertAnswered(await add(visitor, device, await askNew(visitor)), 201, { id: device.id })
  return { ...visitor, device }
}

const expire = (): Promise<number> =>
  db.count(sql`update user_passkey_challenge set expires_at = facteur_now()`)

test('200: a passkey signs its user in; only its user can remove it, and a removed one signs no user in', async () => {
  const [ada, eve] = [await withPasskey(), await withPasskey()]
  const answer = await enter(ada.device, await askOne())
  assertAnswered(answer, 200, { person: { email: ada.email } })
  assertAnswered(
    await browser(api, answer.headers.get('set-cookie')).ask('GET /people/api/v1/session'),
    200,
    {
      person: { email: ada.email },
    },
  )
  assertRefused(
    await eve.ask(`DELETE /people/api/v1/person/passkeys/${ada.device.id}`),
    'not_found',
  )
  assertAnswered(await ada.ask(`DELETE /people/api/v1/person/passkeys/${ada.device.id}`), 200)
  assertRefused(await enter(ada.device, await askOne()), 'wrong_credentials')
})

test('401: a challenge is answered once, and within five minutes', async () => {
  const ada = await withPasskey()
  const answer = await askOne()
  assertAnswered(await enter(ada.device, answer), 200)
  assertRefused(await enter(ada.device, answer), 'wrong_credentials')
  const late = await askOne()
  await expire()
  assertRefused(await enter(ada.device, late), 'wrong_credentials')

  const askedNew = await askNew(ada)
  assertAnswered(await add(ada, makeAuthenticator(origin), askedNew), 201)
  assertRefused(await add(ada, makeAuthenticator(origin), askedNew), 'wrong_credentials')
  const lateNew = await askNew(ada)
  await expire()
  assertRefused(await add(ada, makeAuthenticator(origin), lateNew), 'wrong_credentials')
})

test('401: a challenge for a new passkey is its user’s alone and cannot sign in; nor the other way round', async () => {
  const [ada, eve] = [await withPasskey(), await withPasskey()]
  assertRefused(await add(eve, makeAuthenticator(origin), await askNew(ada)), 'wrong_credentials')
  assertRefused(await enter(ada.device, await askNew(ada)), 'wrong_credentials')
  assertRefused(await add(ada, makeAuthenticator(origin), await askOne()), 'wrong_credentials')
})

test('401: a signature for another page or host, by another key, or by a device that did not verify its holder', async () => {
  const ada = await withPasskey()
  const wrong: Lies[] = [
    { challenge: Buffer.alloc(32).toString('base64url') },
    { origin: 'https://evil.example' },
    { host: 'evil.example' },
    { isVerified: false },
  ]
  for (const lies of wrong) {
    assertRefused(await enter(ada.device, await askOne(), lies), 'wrong_credentials')
    assertRefused(
      await add(ada, makeAuthenticator(origin), await askNew(ada), lies),
      'wrong_credentials',
    )
  }
  const { id, challenge } = await askOne()
  const forged = {
    ...makeAuthenticator(origin).answer(challenge),
    id: ada.device.id,
    rawId: ada.device.id,
  }
  assertRefused(
    await stranger.ask('POST /people/api/v1/session/passkey', {
      body: { challenge_id: id, response: forged },
    }),
    'wrong_credentials',
  )
})

test('401: a counter that does not count on: the passkey was copied', async () => {
  const { device } = await withPasskey()
  assertAnswered(await enter(device, await askOne(), { counter: 7 }), 200)
  for (const counter of [7, 6, 0])
    assertRefused(await enter(device, await askOne(), { counter }), 'wrong_credentials')
  assertAnswered(await enter(device, await askOne(), { counter: 8 }), 200)
})

// Both read the counter before either writes it: only the write can refuse the second (Web
// Authentication Level 3, 6.1.1).
test('401: two signatures of one counter at once: one of them signs in', async () => {
  const { device } = await withPasskey()
  const questions = [await askOne(), await askOne()]
  const waiting = async (): Promise<number> =>
    db.count(
      sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
  const { both } = await db.transaction(async (tx) => {
    await tx.rows(sql`select from user_passkey where id = ${device.id} for update`)
    const calls = questions.map((question) => enter(device, question, { counter: 7 }))
    await until(waiting, (observed) => observed >= 2)
    return { both: calls }
  })
  const statuses = (await Promise.all(both)).map(({ status }) => status)
  assert.deepEqual(statuses.toSorted(), [200, 401])
})

test('a user’s own passkey renews a sign-in; another user’s does not', async () => {
  const [ada, eve] = [await withPasskey(), await withPasskey()]
  await db.count(
    sql`update user_session set shown_at = shown_at - interval '1 hour' where user_id = ${ada.userId}`,
  )
  const confirm = async (device: Authenticator): Promise<Answer> => {
    const { id, challenge } = await askOne()
    const body = { challenge_id: id, response: device.answer(challenge) }
    return ada.ask('POST /people/api/v1/session/confirmation/passkey', { body })
  }
  const change = () => ada.ask('POST /people/api/v1/person/passkeys/question')
  assertRefused(await confirm(eve.device), 'wrong_credentials')
  assertRefused(await change(), 'fresh_sign_in_required')
  assertAnswered(await confirm(ada.device), 200)
  assertAnswered(await change(), 200)
})

test('409: a passkey that a user has already; a twenty-first, also by two requests at once', async () => {
  const [ada, eve] = [await withPasskey(), await withPasskey()]
  assertRefused(await add(eve, ada.device, await askNew(eve)), 'conflict', { reason: 'known' })
  await db.count(sql`
    insert into user_passkey (id, user_id, name, public_key, counter)
    select 'more-' || n, ${ada.userId}, 'More', '', 0 from generate_series(3, ${userLimits.passkeysMax}) n`)
  const requested = [await askNew(ada), await askNew(ada)]
  const answers = await Promise.all(
    requested.map((question) => add(ada, makeAuthenticator(origin), question)),
  )
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [201, 409])
  const full = answers.find(({ status }) => status === 409)
  assert.deepEqual(at(full?.body, 'error', 'details'), {
    reason: 'too_many',
    limit: userLimits.passkeysMax,
  })
  assertRefused(await ada.ask('POST /people/api/v1/person/passkeys/question'), 'conflict', {
    reason: 'too_many',
  })
})
