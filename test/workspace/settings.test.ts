/**
 * The settings of a workspace: keys, domains, senders, its own details, and the roles that may
 * change them.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MemberAnswerOf } from '../../src/contract/operations.ts'
import { sql } from '../../src/database/client/sql.ts'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered, assertRefused, textAt } from '../support/ask.ts'
import { startDnsServer } from '../support/dns-server.ts'
import { at } from '../support/json.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { signIn } from '../support/sign-in.ts'

const dns = await startDnsServer({
  names: { '_spf.other.example': { TXT: ['v=spf1 ip4:198.51.100.1 -all'] } },
})
const api = await startApi({
  entry: operatorEntryPoints(),
  workers: false,
  dnsServers: [dns.address],
  settings: { spf: ['ip4:192.0.2.10'] },
})
const { service } = api
const acme = await api.workspace('acme')
const here = '/workspaces/acme/api/v1'
const owner = await signIn(api, { email: 'ada@example.com', in: { [acme.id]: 'owner' } })
const editor = await signIn(api, { in: { [acme.id]: 'editor' } })
const viewer = await signIn(api, { in: { [acme.id]: 'viewer' } })

const actsOf = async (): Promise<string[]> => {
  const rows = await service.db.rows<{ act: string; who: string; subject: string }>(
    sql`select act, who, subject from audit_log where workspace_id = ${acme.id} order by id`,
  )
  return rows.map(({ act, who, subject }) => `${who}: ${act} ${subject}`)
}

test('a key works once it is made, shows when it was used, and answers 401 once it is revoked', async () => {
  const created = await owner.ask(`POST ${here}/keys`, {
    body: { name: ' shop ', scopes: ['webhooks:read', 'emails:send'] },
  })
  assertAnswered(created, 201, {
    name: 'shop',
    scopes: ['emails:send', 'webhooks:read'],
    status: 'active',
    last_used_at: null,
  })
  const key = textAt(created, 'key')
  const call = (): ReturnType<typeof ask> =>
    ask(api.baseUrl, 'GET /api/v1/me', { headers: { authorization: `Bearer ${key}` } })
  assertAnswered(await call(), 200, { key: { name: 'shop' } })
  const listed = await viewer.ask(`GET ${here}/keys`)
  assertAnswered(listed, 200, { data: [{ name: 'shop', status: 'active' }, {}] })
  assert.ok(!JSON.stringify(listed.body).includes(key), 'a list never has the key')
  const id = textAt(created, 'id')
  assertAnswered(await owner.ask(`DELETE ${here}/keys/${id}`), 200, { id, status: 'revoked' })
  assertRefused(await call(), 'revoked_api_key')
  assertAnswered(await owner.ask(`DELETE ${here}/keys/${id}`), 200, { status: 'revoked' })
  assert.deepEqual(await actsOf(), [
    'ada@example.com: key.created shop',
    'ada@example.com: key.revoked shop',
  ])
})

test('a key with an end answers 401 from then on; an end that is past, or no time, is refused', async () => {
  const body = { name: 'short', scopes: ['emails:send'] }
  for (const expires_at of ['2020-01-01T00:00:00Z', 'soon'])
    assertRefused(
      await owner.ask(`POST ${here}/keys`, { body: { ...body, expires_at } }),
      'validation_error',
      {
        path: 'expires_at',
      },
    )
  const expires_at = new Date(Date.now() + 3_600_000).toISOString()
  const created = await owner.ask(`POST ${here}/keys`, { body: { ...body, expires_at } })
  assertAnswered(created, 201, { expires_at, status: 'active' })
  await api.moveClock('2 hours')
  const headers = { authorization: `Bearer ${textAt(created, 'key')}` }
  assert.equal((await ask(api.baseUrl, 'GET /api/v1/me', { headers })).status, 401)
  assertAnswered(await viewer.ask(`GET ${here}/keys`), 200, {
    data: [{ name: 'short', status: 'expired' }, {}, {}],
  })
  await api.moveClock('0')
})

test('403: an editor makes no key, a viewer changes nothing, and a user who signed in long ago is asked again', async () => {
  const newKey = { body: { name: 'x', scopes: ['emails:send'] } }
  assertRefused(await editor.ask(`POST ${here}/keys`, newKey), 'insufficient_role')
  for (const domain of [{ body: { name: 'x.example' } }])
    assertRefused(await editor.ask(`POST ${here}/domains`, domain), 'insufficient_role')
  assertRefused(
    await editor.ask(`PATCH ${here}/settings`, { body: { track_opens: false } }),
    'insufficient_role',
  )
  assertRefused(
    await viewer.ask(`POST ${here}/senders`, { body: { email: 'a@acme.test' } }),
    'insufficient_role',
  )
  assertRefused(await viewer.ask(`POST ${here}/domains/acme.test/check`), 'insufficient_role')
  await service.db.count(sql`update user_session set shown_at = shown_at - interval '20 minutes'`)
  assertRefused(await owner.ask(`POST ${here}/keys`, newKey), 'fresh_sign_in_required')
  assertRefused(
    await owner.ask(`DELETE ${here}/keys/${service.makeId()}`),
    'fresh_sign_in_required',
  )
  await service.db.count(sql`update user_session set shown_at = shown_at + interval '20 minutes'`)
})

type Domain = MemberAnswerOf<'getDomain'>
const domainOf = (answer: { body: unknown }): Domain => answer.body as Domain

test('a domain shows its records and each wrong one, is verified once all are right, and stores the findings', async () => {
  const added = domainOf(
    await owner.ask(`POST ${here}/domains`, { body: { name: 'Mail.Shöp.example' } }),
  )
  assert.equal(added.name, 'mail.xn--shp-tna.example')
  const path = `${here}/domains/${added.name}`
  assert.deepEqual(
    added.records.map(({ purpose, status }) => [purpose, status]),
    [
      ...[
        ['dkim', null],
        ['dkim', null],
      ],
      ...[
        ['spf', null],
        ['dmarc', null],
      ],
    ],
  )
  const spf = added.records.find(({ purpose }) => purpose === 'spf')
  dns.set(spf?.name ?? '', { TXT: ['v=spf1 include:_spf.other.example ~all'] })
  const checked = domainOf(await editor.ask(`POST ${path}/check`))
  assert.equal(checked.status, 'pending')
  const mended = {
    status: 'wrong',
    problem: 'not_authorised',
    value: 'v=spf1 include:_spf.other.example ip4:192.0.2.10 ~all',
  }
  assert.partialDeepStrictEqual(
    checked.records.find(({ purpose }) => purpose === 'spf'),
    mended,
  )
  const read = domainOf(await viewer.ask(`GET ${path}`))
  assert.partialDeepStrictEqual(
    read.records.find(({ purpose }) => purpose === 'spf'),
    mended,
    'a later request gets the same',
  )
  for (const record of checked.records)
    if (record.purpose !== 'spf') dns.set(record.name, { TXT: [record.value] })
  assert.equal(
    domainOf(await editor.ask(`POST ${path}/check`)).status,
    'pending',
    'a look a moment ago is answered again',
  )
  await api.moveClock('10 seconds')
  const verified = domainOf(await editor.ask(`POST ${path}/check`))
  assert.deepEqual([verified.status, verified.verified_by], ['verified', 'dns'])
  const rotated = domainOf(await owner.ask(`POST ${path}/rotate`))
  assert.deepEqual(
    [rotated.rotating, rotated.records.filter(({ key }) => key?.state === 'waiting').length],
    [true, 2],
  )
  await api.moveClock('0')
})

test('422 where a name is none, or a host is not below it; 404 for a domain that the workspace does not have', async () => {
  const add = (body: object): ReturnType<typeof ask> => owner.ask(`POST ${here}/domains`, { body })
  assertRefused(await add({ name: 'no domain' }), 'validation_error', {
    path: 'name',
    rule: 'domain_character',
  })
  assertRefused(
    await add({ name: 'a.example', tracking_host: 'links.b.example' }),
    'validation_error',
    {
      path: 'tracking_host',
      rule: 'below_domain',
    },
  )
  const same = { return_path_host: 'x.a.example', tracking_host: 'x.a.example' }
  assertRefused(await add({ name: 'a.example', ...same }), 'validation_error', {
    rule: 'same_host',
  })
  for (const name of ['zenith.example', '%2e%2e', 'no domain'])
    assertRefused(await owner.ask(`GET ${here}/domains/${encodeURIComponent(name)}`), 'not_found')
})

test('a domain with senders is not removed; an unused one is', async () => {
  assertRefused(await owner.ask(`DELETE ${here}/domains/acme.test`), 'conflict', {
    senders: 1,
    campaigns: 0,
    waiting: 0,
  })
  await owner.ask(`POST ${here}/domains`, { body: { name: 'gone.example' } })
  assertAnswered(await owner.ask(`DELETE ${here}/domains/gone.example`), 200, { removed: true })
  assertRefused(await owner.ask(`GET ${here}/domains/gone.example`), 'not_found')
})

test('senders: the first is the default, another takes its place, and the default goes last', async () => {
  const added = await editor.ask(`POST ${here}/senders`, {
    body: { email: 'News@acme.test', name: 'Acme news' },
  })
  assertAnswered(added, 201, { email: 'News@acme.test', default: false, domain_status: 'verified' })
  const id = textAt(added, 'id')
  assertAnswered(
    await editor.ask(`PATCH ${here}/senders/${id}`, { body: { default: true, name: '' } }),
    200,
    {
      default: true,
      name: null,
    },
  )
  const list = await viewer.ask(`GET ${here}/senders`)
  assertAnswered(list, 200, {
    data: [
      { email: 'hello@acme.test', default: false },
      { id, default: true },
    ],
  })
  assertRefused(await editor.ask(`DELETE ${here}/senders/${id}`), 'conflict', {
    reason: 'default_sender',
  })
  const campaign = await editor.ask(`POST ${here}/campaigns`, {
    body: { name: 'x', subject: 'x', text: 'x', from: 'hello@acme.test' },
  })
  await service.db.count(
    sql`update campaign set status = 'scheduled', scheduled_at = now() where workspace_id = ${acme.id} and id = ${textAt(campaign, 'id')}`,
  )
  const first = at(list.body, 'data', '0', 'id')
  assertRefused(await editor.ask(`DELETE ${here}/senders/${String(first)}`), 'conflict', {
    reason: 'planned_campaigns',
    campaigns: 1,
  })
  for (const email of ['no address', 'Ada <ada@acme.test>'])
    assertRefused(
      await editor.ask(`POST ${here}/senders`, { body: { email } }),
      'validation_error',
      { path: 'email' },
    )
})

test('422 unverified_from_domain: a sender at a domain that is not verified is not added, and never becomes the default', async () => {
  await owner.ask(`POST ${here}/domains`, { body: { name: 'waiting.example' } })
  for (const email of ['me@elsewhere.example', 'me@waiting.example', 'me@below.acme.test'])
    assertRefused(
      await editor.ask(`POST ${here}/senders`, { body: { email } }),
      'unverified_from_domain',
      {
        from: email,
        verifiedDomains: ['acme.test'],
      },
    )
  // Its domain was verified when it was added.
  await acme.addDomain('lost.example')
  const added = await editor.ask(`POST ${here}/senders`, { body: { email: 'me@lost.example' } })
  await service.db.count(
    sql`update domain set status = 'pending' where workspace_id = ${acme.id} and name = 'lost.example'`,
  )
  const path = `${here}/senders/${textAt(added, 'id')}`
  assertRefused(
    await editor.ask(`PATCH ${path}`, { body: { default: true } }),
    'unverified_from_domain',
  )
  assertAnswered(await editor.ask(`PATCH ${path}`, { body: { name: 'Me' } }), 200, {
    default: false,
    domain_status: 'pending',
  })
  assertAnswered(await editor.ask(`DELETE ${path}`), 200, { removed: true })
})

test('only given details of a workspace change, and misleading or control characters are refused', async () => {
  const change = (body: object): ReturnType<typeof ask> =>
    owner.ask(`PATCH ${here}/settings`, { body })
  assertAnswered(await viewer.ask(`GET ${here}/settings`), 200, {
    ...{
      name: 'acme',
      language: null,
      installation_language: 'fr',
      contact: null,
      postal_address: null,
      track_opens: true,
    },
    provider: { name: 'local-capture', own: false },
  })
  const postal_address = ' Acme \r\n\n 1 rue de Rivoli'
  assertAnswered(
    await change({ name: 'Acme & Co', contact: 'Ops@Acme.test', language: 'en', postal_address }),
    200,
    {
      ...{
        name: 'Acme & Co',
        slug: 'acme',
        contact: 'ops@acme.test',
        language: 'en',
        postal_address: 'Acme\n1 rue de Rivoli',
      },
      track_opens: true,
    },
  )
  assertAnswered(await change({ track_opens: false, contact: null }), 200, {
    track_opens: false,
    contact: null,
    language: 'en',
  })
  assertRefused(await change({ name: 'a\u202eb' }), 'validation_error', {
    path: 'name',
    rule: 'misleading_character',
    found: 'U+202E',
  })
  assertRefused(await change({ name: 'a\u0085b' }), 'validation_error', {
    path: 'name',
    rule: 'control_character',
  })
  assertRefused(await change({ name: ' ' }), 'validation_error', {
    path: 'name',
    rule: 'minLength',
  })
  assertRefused(await change({ contact: 'nobody' }), 'validation_error', {
    path: 'contact',
    rule: 'missing_at',
  })
  assert.deepEqual((await actsOf()).slice(-2), [
    'ada@example.com: settings.changed Acme & Co',
    'ada@example.com: settings.changed Acme & Co',
  ])
})
