/** The entry point of users: admitted sessions and refused requests. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fastify from 'fastify'
import { isOwnPage } from '../../src/core/dispatch/check-origin.ts'
import { sessionCookie } from '../../src/core/identity/session-token.ts'
import { addWorkspacePages } from '../../src/entrypoints/workspace/add-workspace-pages.ts'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, assertRefused } from '../support/ask.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { signIn } from '../support/sign-in.ts'

const api = await startApi({ entry: operatorEntryPoints(), workers: false })
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

test('403 foreign_origin: a page of the same host that came by plain HTTP does not act on a service on https', () => {
  const base = 'https://mail.example.com'
  const host = 'mail.example.com'
  assert.ok(isOwnPage({ host, origin: base }, base))
  for (const origin of ['http://mail.example.com', 'https://mail.example.com:8443', 'null', undefined]) {
    assert.ok(!isOwnPage({ host, ...(origin !== undefined && { origin }) }, base), origin)
  }
  const here = 'http://localhost:3025'
  assert.ok(isOwnPage({ host: '127.0.0.1:3025', origin: 'http://127.0.0.1:3025' }, here))
  assert.ok(!isOwnPage({ host: '127.0.0.1:3025', origin: 'http://127.0.0.1:8080' }, here))
  assert.ok(!isOwnPage({ host: '127.0.0.1:3025', origin: 'https://127.0.0.1:3025' }, here))
  assert.ok(!isOwnPage({ host: 'localhost:3025', origin: 'https://localhost:3025' }, here))
})

test('422 content_type: the content types that a form of another page can send are no JSON', async () => {
  const ada = await signIn(api)
  for (const type of ['text/plain', null]) {
    const answer = await ada.ask('PATCH /people/api/v1/person', { body: { name: 'Eve' }, type })
    assertRefused(answer, 'validation_error', { rule: 'content_type' })
  }
})

test('pages on https are asked for by TLS alone from then on; those on plain HTTP say nothing of it', async () => {
  const secure = Fastify()
  addWorkspacePages(secure, { settings: { ...api.service.settings, baseUrl: 'https://mail.example.com' } })
  for (const url of ['/', '/app', '/app/assets/none.js']) {
    assert.equal((await secure.inject(url)).headers['strict-transport-security'], 'max-age=31536000', url)
    const plain = await fetch(api.baseUrl + url, { redirect: 'manual' })
    assert.equal(plain.headers.get('strict-transport-security'), null)
    await plain.body?.cancel()
  }
})

test('404 not_found: a workspace that they are not in reads as one that does not exist', async () => {
  const ada = await signIn(api, { in: { [acme.id]: 'owner' } })
  const foreign = await ada.ask('GET /workspaces/zenith/api/v1/me')
  assertRefused(foreign, 'not_found')
  assert.deepEqual((await ada.ask('GET /workspaces/nowhere/api/v1/me')).body, foreign.body)
})
