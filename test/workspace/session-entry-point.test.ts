/** The entry point of users: admitted sessions and refused requests. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { isOwnPage } from '../../src/core/dispatch/check-origin.ts'
import { sessionCookie } from '../../src/core/identity/session-token.ts'
import { findWorkspace } from '../../src/db/workspaces/workspaces.ts'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, assertRefused } from '../support/ask.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { signIn } from '../support/sign-in.ts'

const api = await startApi({ entry: operatorEntryPoints(), workers: false })
const acme = await api.workspace('acme')
await api.workspace('zenith')
const secure = await startApi({
  ...{ entry: operatorEntryPoints(), workers: false, database: api.database },
  settings: { baseUrl: 'https://mail.example.com' },
})

test('401 not_signed_in: no cookie, a strange one, and an API key', async () => {
  const strange = ['facteur-session=x', `facteur-session=${'x'.repeat(43)}`].map((cookie) => ({
    cookie,
  }))
  for (const headers of [{}, ...strange, { authorization: `Bearer ${acme.key}` }]) {
    assertRefused(
      await ask(api.baseUrl, 'GET /workspaces/acme/api/v1/me', { headers }),
      'not_signed_in',
    )
    assertRefused(
      await ask(api.baseUrl, 'GET /people/api/v1/session', { headers }),
      'not_signed_in',
    )
  }
})

test('the cookie of a service on https is of this host and of TLS alone; only on plain HTTP of this machine it goes without', () => {
  for (const baseUrl of [
    'https://mail.example.com',
    'http://mail.example.com',
    'http://192.0.2.1:3025',
  ]) {
    assert.match(
      sessionCookie('t', baseUrl),
      /^__Host-facteur-session=t; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax; Secure$/,
    )
  }
  for (const baseUrl of ['http://localhost:3025', 'http://127.0.0.1', 'http://[::1]:3025']) {
    assert.match(
      sessionCookie('t', baseUrl),
      /^facteur-session=t; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/,
    )
  }
})

test('200: who is signed in, their workspaces, and an operation of programs', async () => {
  const ada = await signIn(api, { email: 'ada@example.com', in: { [acme.id]: 'viewer' } })
  assertAnswered(await ada.ask('GET /people/api/v1/session'), 200, {
    person: { email: 'ada@example.com' },
  })
  assertAnswered(await ada.ask('GET /people/api/v1/workspaces'), 200, {
    data: [{ slug: 'acme', role: 'viewer' }],
  })
  const account = await ada.ask('GET /workspaces/acme/api/v1/me')
  assertAnswered(account, 200, { workspace: { slug: 'acme' } })
  assert.equal(account.headers.get('cache-control'), 'no-store')
})

test('403 foreign_origin: a page of the same host that came by plain HTTP does not act on a service on https', () => {
  const base = 'https://mail.example.com'
  const host = 'mail.example.com'
  assert.ok(isOwnPage({ host, origin: base }, base))
  for (const origin of [
    'http://mail.example.com',
    'https://mail.example.com:8443',
    'null',
    undefined,
  ]) {
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
  const hstsOf = async (
    base: string,
    path: string,
    headers: Record<string, string>,
  ): Promise<string | undefined> => {
    const [answer] = (await once(request(base + path, { headers }).end(), 'response')) as [
      IncomingMessage,
    ]
    answer.resume()
    return answer.headers['strict-transport-security']
  }
  const own = { host: 'mail.example.com' }
  for (const path of [
    '/',
    '/app',
    '/app/assets/none.js',
    '/api/v1',
    '/people/api/v1/person',
    '/o/none',
    '/nothing',
  ]) {
    for (const host of ['mail.example.com', 'Mail.Example.com', 'mail.example.com:443'])
      assert.equal(
        await hstsOf(secure.baseUrl, path, { host }),
        'max-age=31536000',
        `${host}${path}`,
      )
    assert.equal(
      await hstsOf(secure.baseUrl, path, { host: 'links.customer.example' }),
      undefined,
      path,
    )
    assert.equal(
      await hstsOf(secure.baseUrl, path, { ...own, 'x-forwarded-proto': 'http' }),
      undefined,
      path,
    )
    assert.equal(
      await hstsOf(api.baseUrl, path, { host: new URL(api.baseUrl).host }),
      undefined,
      path,
    )
  }
})

test('answers to a session and to a key are stored by no cache, and their type is not guessed', async () => {
  const ada = await signIn(api, { in: { [acme.id]: 'owner' } })
  const headers = { authorization: `Bearer ${acme.key}` }
  for (const answer of [
    await ada.ask('GET /workspaces/acme/api/v1/me'),
    await ada.ask('GET /workspaces/nowhere/api/v1/me'),
    await fetch(`${api.baseUrl}/api/v1/me`, { headers }),
    await fetch(`${api.baseUrl}/api/v1/emails/none`, { headers }),
    await fetch(`${api.baseUrl}/api/v1/openapi.json`, { headers }),
    await fetch(`${api.baseUrl}/api/v1/me`, {
      headers: { ...headers, 'x-long': 'x'.repeat(20_000) },
    }),
    await fetch(`${api.baseUrl}/api/mcp`, { method: 'POST', headers, body: '{' }),
  ]) {
    assert.equal(answer.headers.get('cache-control'), 'no-store')
    assert.equal(answer.headers.get('x-content-type-options'), 'nosniff')
  }
})

test('404 not_found: a workspace whose name has U+0000', async () => {
  const ada = await signIn(api, { in: { [acme.id]: 'owner' } })
  assertRefused(await ada.ask('GET /workspaces/%00/api/v1/me'), 'not_found')
  assert.equal(await findWorkspace(api.service.db, 'ac\0me'), null)
})

test('404 not_found: a workspace that they are not in reads as one that does not exist', async () => {
  const ada = await signIn(api, { in: { [acme.id]: 'owner' } })
  const foreign = await ada.ask('GET /workspaces/zenith/api/v1/me')
  assertRefused(foreign, 'not_found')
  assert.deepEqual((await ada.ask('GET /workspaces/nowhere/api/v1/me')).body, foreign.body)
})
