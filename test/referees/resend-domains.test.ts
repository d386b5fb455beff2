/** `domains.*` of the unmodified SDK, compared with what the database then has. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allScopes } from '../../src/contract/scopes.ts'
import { sql } from '../../src/database/client/sql.ts'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, assertRefused } from '../support/ask.ts'
import { startDnsServer } from '../support/dns-server.ts'
import { at } from '../support/json.ts'
import { resendEntryPoints } from '../support/resend-entry-points.ts'
import { clientOf, codeOf, wellDone } from '../support/sdk-answers.ts'

const dns = await startDnsServer()
const api = await startApi({
  entry: resendEntryPoints,
  workers: false,
  dnsServers: [dns.address],
  settings: {
    ...{ baseUrl: 'https://mail.host.example', bounceHost: 'mx.host.example' },
    ...{ inboundDomain: 'mx.host.example', spf: ['ip4:192.0.2.10'] },
  },
})
const shop = await api.workspace('shop')
const other = await api.workspace('other')
const { db } = api.service
const resend = clientOf(api, shop.key)
const stranger = clientOf(api, other.key)

const stored = (name: string) =>
  db.row<{ status: string; path: string | null; links: string | null }>(sql`
    select status, return_path_host as path, tracking_host as links from domain
    where workspace_id = ${shop.id} and name = ${name}`)
const selectorsOf = (name: string) =>
  db.column<string>(sql`
    select selector from domain_key where workspace_id = ${shop.id} and domain = ${name}
    order by selector`)

test('create: the records to set, in the shape of the SDK, and an entry of the audit log', async () => {
  const name = 'news.example'
  const created = await wellDone(
    resend.domains.create({
      ...{ name: 'News.example', region: 'eu-west-1', openTracking: true },
      ...{ customReturnPath: 'back', trackingSubdomain: 'go' },
    }),
  )
  assert.partialDeepStrictEqual(created, {
    ...{ id: name, name, status: 'pending', region: null },
    capabilities: { sending: 'enabled', receiving: 'disabled' },
  })
  assert.deepEqual(await stored(name), {
    ...{ status: 'pending', path: `back.${name}`, links: `go.${name}` },
  })
  const keys = await selectorsOf(name)
  assert.deepEqual(
    created.records.flatMap((record) => (record.record === 'DKIM' ? [record.name] : [])).toSorted(),
    keys.map((selector) => `${selector}._domainkey.${name}`).toSorted(),
  )
  assert.partialDeepStrictEqual(
    created.records.filter(({ record }) => record !== 'DKIM'),
    [
      { ...{ record: 'SPF', type: 'MX', name: `back.${name}`, ttl: 'Auto', priority: 10 } },
      { record: 'SPF', type: 'TXT', value: 'v=spf1 ip4:192.0.2.10 -all', status: 'not_started' },
      { record: 'DMARC', type: 'TXT', name: `_dmarc.${name}` },
      { record: 'TLSRPT', type: 'TXT' },
      { record: 'Tracking', type: 'CNAME', name: `go.${name}`, value: 'mail.host.example' },
    ],
  )
  const acts = await db.rows<{ act: string; who: string }>(sql`
    select act, who from audit_log where workspace_id = ${shop.id} and subject = ${name}`)
  assert.deepEqual(acts, [{ act: 'domain.added', who: 'key test' }])
  const again = await wellDone(resend.domains.create({ name }))
  assert.deepEqual([again.records, await selectorsOf(name)], [created.records, keys])
})

test('422: a name that is none, and two spellings of a host that differ', async () => {
  assert.equal(await codeOf(resend.domains.create({ name: 'a b' })), '422 validation_error')
  const body = { name: 'two.example', return_path_host: 'a.two.example' }
  const call = (label: string) =>
    ask(api.baseUrl, 'POST /api/v1/domains', {
      key: shop.key,
      body: { ...body, custom_return_path: label },
    })
  assertRefused(await call('b'), 'validation_error', {
    ...{ path: 'custom_return_path', rule: 'alias_differs' },
  })
  assert.equal(await stored('two.example'), null)
  assertAnswered(await call('a'), 201, { name: 'two.example' })
})

test('list, get: those of this workspace alone, by their names', async () => {
  await wellDone(resend.domains.create({ name: 'listed.example' }))
  const listed = await wellDone(resend.domains.list())
  const names = await db.column<string>(sql`
    select name from domain where workspace_id = ${shop.id} order by created_at, name`)
  assert.deepEqual(listed.data.map(({ id }) => id).toSorted(), names.toSorted())
  assert.equal(listed.has_more, false)
  const [first] = listed.data
  assert.partialDeepStrictEqual(await wellDone(resend.domains.get(first?.id ?? '')), {
    ...{ ...first, object: 'domain', status: 'verified' },
  })
  assert.equal(await codeOf(stranger.domains.get('listed.example')), '404 not_found')
  assert.equal(await codeOf(stranger.domains.verify('listed.example')), '404 not_found')
  assert.deepEqual(
    (await wellDone(stranger.domains.list())).data.map(({ id }) => id),
    ['other.test'],
  )
})

test('verify: DNS is asked, once in half a minute, and the domain is verified by its record', async () => {
  const name = 'proved.example'
  const { records } = await wellDone(resend.domains.create({ name }))
  assert.deepEqual(await wellDone(resend.domains.verify(name)), { object: 'domain', id: name })
  assert.equal((await stored(name))?.status, 'pending')
  for (const record of records)
    if (record.record === 'DKIM') dns.set(record.name, { TXT: [record.value] })
  await api.moveClock('10 seconds')
  await wellDone(resend.domains.verify(name))
  assert.equal((await stored(name))?.status, 'pending', 'a look a moment ago is answered again')
  await api.moveClock('30 seconds')
  const before = dns.queries.length
  await Promise.all([1, 2, 3].map(() => wellDone(resend.domains.verify(name))))
  assert.equal((await stored(name))?.status, 'verified')
  const [selector] = await selectorsOf(name)
  const requested = dns.queries
    .slice(before)
    .filter((query) => query.name === `${selector}._domainkey.${name}`)
  assert.equal(requested.length, 1, 'calls at once share a look-up')
  const after = await wellDone(resend.domains.get(name))
  assert.equal(after.status, 'verified')
  assert.deepEqual(
    after.records.flatMap(({ record, status }) => (record === 'DKIM' ? [status] : [])),
    ['verified', 'verified'],
  )
})

test('404 not_found: update, remove and claims say our way, and change nothing', async () => {
  const name = 'stays.example'
  await wellDone(resend.domains.create({ name }))
  for (const call of [
    resend.domains.update({ id: name, openTracking: true }),
    resend.domains.remove(name),
    resend.domains.claims.create({ name }),
  ]) {
    const { error } = await call
    assert.match(`${error?.statusCode} ${error?.message}`, /^404 .*`facteur domain`/)
  }
  assert.equal((await stored(name))?.status, 'pending')
  for (const line of [
    'POST /api/v1/domains/stays.example/rotate',
    'DELETE /api/v1/domains/stays.example',
  ])
    assertRefused(await ask(api.baseUrl, line, { key: shop.key }), 'not_found')
})

test('403 insufficient_scope: domains need permissions of their own', async () => {
  const without = clientOf(
    api,
    await shop.makeKey(allScopes.filter((scope) => !scope.startsWith('domains:'))),
  )
  assert.equal(await codeOf(without.domains.list()), '403 insufficient_scope')
  const reader = clientOf(api, await shop.makeKey(['domains:read']))
  assert.ok((await wellDone(reader.domains.list())).data.length > 0)
  assert.equal(await codeOf(reader.domains.create({ name: 'x.example' })), '403 insufficient_scope')
  assert.equal(await codeOf(reader.domains.verify('shop.test')), '403 insufficient_scope')
})

test('members read the state of each key, which no key does', async () => {
  const byKey = await ask(api.baseUrl, 'GET /api/v1/domains/shop.test', { key: shop.key })
  assert.deepEqual(
    [at(byKey.body, 'verified_by'), at(byKey.body, 'rotating')],
    [undefined, undefined],
  )
})
