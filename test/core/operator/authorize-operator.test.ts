/** Who is let in to what belongs to the operator, case by case. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  bearsToken,
  isAtThisMachine,
  isOperator,
  isSession,
  isToken,
  makeSession,
} from '../../../src/core/operator/authorize-operator.ts'

const token = 'a-token-that-nobody-guesses'

const visitors: {
  title: string
  peer: string | undefined
  headers: Record<string, string | string[]>
  enters: boolean
}[] = [
  {
    title: 'loopback by name',
    peer: '127.0.0.1',
    headers: { host: 'localhost:3025' },
    enters: true,
  },
  { title: 'loopback by number', peer: '127.0.0.9', headers: { host: '127.0.0.1' }, enters: true },
  { title: 'IPv6 loopback', peer: '::1', headers: { host: '[::1]:3025' }, enters: true },
  {
    title: 'IPv4 in IPv6',
    peer: '::ffff:127.0.0.1',
    headers: { host: 'LOCALHOST:3025' },
    enters: true,
  },
  {
    title: 'a proxy on this machine for this machine',
    peer: '127.0.0.1',
    headers: { host: 'localhost', 'x-forwarded-for': '::1, 127.0.0.1' },
    enters: true,
  },
  {
    title: 'another machine',
    peer: '192.0.2.7',
    headers: { host: 'localhost:3025' },
    enters: false,
  },
  {
    title: 'another machine that says it is this one',
    peer: '192.0.2.7',
    headers: { host: 'localhost', 'x-forwarded-for': '127.0.0.1' },
    enters: false,
  },
  {
    title: 'a re-bound name',
    peer: '127.0.0.1',
    headers: { host: 'evil.example:3025' },
    enters: false,
  },
  {
    title: 'a name that begins like ours',
    peer: '127.0.0.1',
    headers: { host: '127.0.0.1.evil.example' },
    enters: false,
  },
  {
    title: 'a name that ends like ours',
    peer: '127.0.0.1',
    headers: { host: 'evil-localhost' },
    enters: false,
  },
  { title: 'no Host', peer: '127.0.0.1', headers: {}, enters: false },
  {
    title: 'a proxy for somebody else',
    peer: '127.0.0.1',
    headers: { host: 'localhost', 'x-forwarded-for': '192.0.2.7' },
    enters: false,
  },
  {
    title: 'a proxy for somebody who put our address first',
    peer: '127.0.0.1',
    headers: { host: 'localhost', 'x-forwarded-for': '127.0.0.1, 192.0.2.7' },
    enters: false,
  },
  {
    title: 'a proxy that says so otherwise',
    peer: '127.0.0.1',
    headers: { host: 'localhost', 'x-real-ip': '192.0.2.7' },
    enters: false,
  },
  {
    title: 'a proxy that says so as RFC 7239',
    peer: '127.0.0.1',
    headers: { host: 'localhost', forwarded: 'for=127.0.0.1' },
    enters: false,
  },
  {
    title: 'a proxy for another host',
    peer: '127.0.0.1',
    headers: { host: 'localhost', 'x-forwarded-host': 'mail.example.com' },
    enters: false,
  },
  {
    title: 'a socket that is gone',
    peer: undefined,
    headers: { host: 'localhost' },
    enters: false,
  },
]

for (const { title, enters, ...visitor } of visitors) {
  test(`${title}: ${enters ? 'at this machine' : 'from elsewhere'}`, () => {
    assert.equal(isAtThisMachine(visitor), enters)
  })
}

test('where the base URL is public, no request is from this machine, whatever its headers: the token alone opens', () => {
  const here = { peer: '127.0.0.1', headers: { host: 'localhost:3025' } }
  for (const baseUrl of ['http://127.0.0.1:3025', 'http://localhost:3025', 'http://[::1]:3025'])
    assert.ok(isOperator(here, { token, baseUrl }), baseUrl)
  for (const baseUrl of [
    'https://mail.example.com',
    'http://192.0.2.1:3025',
    'https://localhost.example.com',
  ])
    for (const visitor of visitors)
      assert.ok(!isOperator(visitor, { token, baseUrl }), `${visitor.title}, ${baseUrl}`)
  const withToken = { ...here, headers: { ...here.headers, authorization: `Bearer ${token}` } }
  assert.ok(isOperator(withToken, { token, baseUrl: 'https://mail.example.com' }))
})

test('the token opens whole and alone, as a bearer', () => {
  const bears = (authorization: string) => bearsToken({ headers: { authorization } }, token)
  assert.ok(bears(`Bearer ${token}`))
  assert.ok(bears(`bearer  ${token} `))
  for (const wrong of [
    token,
    `Basic ${token}`,
    `Bearer ${token}x`,
    'Bearer ',
    `Bearer ${token.slice(1)}`,
    '',
  ])
    assert.ok(!bears(wrong), wrong)
  assert.ok(!bearsToken({ headers: { authorization: 'Bearer null' } }, null))
  assert.ok(!isToken('', null))
})

test('a session opens until its time is over or the token is another', () => {
  const now = new Date('2026-01-01T00:00:00Z')
  const session = makeSession(token, now)
  assert.ok(isSession(session, token, now))
  assert.ok(isSession(session, token, new Date('2026-01-01T11:59:59Z')))
  assert.ok(!isSession(session, token, new Date('2026-01-01T12:00:00Z')))
  assert.ok(!isSession(session, `${token}2`, now))
  assert.ok(!isSession(session, null, now))
  assert.ok(!isSession(session.replace(/^\d/, '9'), token, now), 'a later end is another signature')
  assert.ok(!isSession('', token, now))
})
