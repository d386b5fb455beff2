/**
 * The log of users' calls, at its finest level, has no password, code, link or cookie, for any
 * outcome of the call.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../../src/ground/clock.ts'
import { makeUserLink } from '../../src/core/identity/user-link.ts'
import { createLog } from '../../src/ground/log.ts'
import { startApi } from '../support/api.ts'
import { assertAnswered, assertRefused, textAt } from '../support/ask.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { browser, signIn } from '../support/sign-in.ts'

let logged = ''
const log = createLog({
  level: 'debug',
  clock: systemClock,
  readable: false,
  write: (line) => (logged += line),
})
const api = await startApi({ log, entry: operatorEntryPoints() })
const { service } = api

test('signing in, codes, links and refusals leave nothing secret in the log', async () => {
  const acme = await api.workspace('acme')
  const stranger = browser(api, null)
  const secrets = {
    password: 'a-secret-password',
    wrong: 'a-wrong-password',
    next: 'the-next-password',
    code: '918273',
  }
  const ada = await signIn(api, {
    email: 'private.person@example.com',
    password: secrets.password,
    in: { [acme.id]: 'owner' },
  })
  const enter = (password: string) =>
    stranger.ask('POST /people/api/v1/session', {
      body: { email: ada.email, password, code: secrets.code },
    })
  const entered = await enter(secrets.password)
  assertAnswered(entered, 200)
  assertRefused(await enter(secrets.wrong), 'wrong_credentials')
  const { url } = await makeUserLink(service, service.db, { purpose: 'reset', userId: ada.userId })
  const token = url.split('/').at(-1) ?? ''
  assertAnswered(await stranger.ask(`GET /people/api/v1/password-resets/${token}`), 200)
  const totp = textAt(await ada.ask('POST /people/api/v1/person/totp'), 'secret')
  assertAnswered(
    await stranger.ask(`POST /people/api/v1/password-resets/${token}`, {
      body: { password: secrets.next },
    }),
    200,
  )
  assertRefused(await stranger.ask(`GET /people/api/v1/password-resets/${token}`), 'link_not_valid')
  // The database refuses: what failed is logged whole, but for what it was called with.
  await api.run('alter table user_session rename to user_session_away')
  assertRefused(await enter(secrets.next), 'internal_error')
  await api.run('alter table user_session_away rename to user_session')
  assert.ok(logged.split('\n').filter((line) => line.includes('"msg":"call"')).length >= 7)
  const cookies = [ada.cookie, entered.headers.get('set-cookie') ?? ''].map(
    (cookie) => cookie.split(/[=;]/)[1] ?? '',
  )
  for (const secret of [...Object.values(secrets), token, totp, ...cookies, 'private.person']) {
    assert.equal(logged.includes(secret), false, `the log holds ${secret}`)
  }
})
