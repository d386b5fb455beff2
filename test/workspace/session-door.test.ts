/** The door of people: who is let in, and what is refused. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sessionCookie } from '../../src/core/people/session-token.ts'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, assertRefused } from '../support/ask.ts'
import { operatorDoors } from '../support/operator-doors.ts'
import { signIn } from '../support/sign-in.ts'

const api = await startApi({ door: operatorDoors(), workers: false })
const acme = await api.workspace('acme')
await api.workspace('zenith')

test('401 not_signed_in: no cookie, a strange one, and an API key', async () => {
  const strange = ['facteur-session=x', `facteur-session=${'x'.repeat(43)}`].map((cookie) => ({ cookie }))
  for (const headers of [{}, ...strange, { authorization: `Bearer ${acme.key}` }]) {
    assertRefused(await ask(api.baseUrl, 'GET /workspaces/acme/api/v1/me', { headers }), 'not_signed_in')
    assertRefused(await ask(api.baseUrl, 'GET /people/api/v1/session', { headers }), 'not_signed_in')
  }
})

test('the cookie of a service on https is of this host and of TLS alone; only on plain HTTP of this machine it goes without', () => {
  for (const baseUrl of ['https://mail.example.com', 'http://mail.example.com', 'http://192.0.2.1:3025']) {
    assert.match(sessionCookie('t', baseUrl), /^__Host-facteur-session=t; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax; Secure$/)
  }
  for (const baseUrl of ['http://localhost:3025', 'http://127.0.0.1', 'http://[::1]:3025']) {
    assert.match(sessionCookie('t', baseUrl), /^facteur-session=t; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/)
  }
})

test('200: who is signed in, their workspaces, and an operation of programs', async () => {
  const ada = await signIn(api, { email: 'ada@example.com', in: { [acme.id]: 'viewer' } })
  assertAnswered(await ada.ask('GET /people/api/v1/session'), 200, { person: { email: 'ada@example.com' } })
  assertAnswered(await ada.ask('GET /people/api/v1/workspaces'), 200, { data: [{ slug: 'acme', role: 'viewer' }] })
  const account = await ada.ask('GET /workspaces/acme/api/v1/me')
  assertAnswered(account, 200, { workspace: { slug: 'acme' } })
  assert.equal(account.headers.get('cache-control'), 'no-store')
})

test('404 not_found: a workspace that they are not in reads as one that does not exist', async () => {
  const ada = await signIn(api, { in: { [acme.id]: 'owner' } })
  const foreign = await ada.ask('GET /workspaces/zenith/api/v1/me')
  assertRefused(foreign, 'not_found')
  assert.deepEqual((await ada.ask('GET /workspaces/nowhere/api/v1/me')).body, foreign.body)
})
