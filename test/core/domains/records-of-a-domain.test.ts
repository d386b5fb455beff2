/**
 * A domain's records on a name server: set as they are shown, found, broken, rotated, lost for
 * long; and what its mail goes by meanwhile.
 */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { authenticate, type DNSResolver } from 'mailauth'
import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import { openDomain } from '../../../src/core/domains/open-domain.ts'
import { lookUpDomain } from '../../../src/core/domains/look-up-domain.ts'
import { createMailDomains } from '../../../src/core/domains/mail-domains.ts'
import type { MailDomain } from '../../../src/core/mail-domain.ts'
import { dropDomain } from '../../../src/core/domains/remove-domain.ts'
import { rotateKeys } from '../../../src/core/domains/rotate-domain-keys.ts'
import { createSignMail } from '../../../src/core/domains/sign-mail.ts'
import type { PresentedDomain, PresentedRecord } from '../../../src/core/domains/present-domain.ts'
import { sql } from '../../../src/database/client/sql.ts'
import { createOutbound } from '../../../src/ground/outbound/create-outbound.ts'
import { subnetList, loopbackRanges } from '../../../src/ground/outbound/check-address.ts'
import { startApi } from '../../support/api.ts'
import { ask, assertAnswered } from '../../support/ask.ts'
import { startDnsServer, type ZoneRecords } from '../../support/dns-server.ts'
import { runOn } from '../../support/database.ts'
import { at } from '../../support/json.ts'
import { envelopeTo } from '../../support/mx-world.ts'

const ours = {
  'mx.facteur.test': { A: ['192.0.2.10'] },
  'bounces.facteur.test': { MX: [{ preference: 1, exchange: 'mx.facteur.test' }] },
}
const dns = await startDnsServer({ names: ours })
const api = await startApi({
  workers: false,
  log: {
    debug: () => undefined,
    info: () => undefined,
    warn: () => undefined,
    error: console.error,
  },
  dnsServers: [dns.address],
  settings: {
    bounceHost: 'mx.facteur.test',
    inboundDomain: 'bounces.facteur.test',
    spf: ['ip4:192.0.2.10'],
  },
})
const { service } = api
// So that its number is not the first.
await api.workspace('another')
const shop = await api.workspace('shop')

/** As a user copies a record into the form of a DNS provider. */
const zone = new Map<string, ZoneRecords>()
function set({ type, name, value }: PresentedRecord): void {
  const [preference, exchange = ''] = value.split(' ')
  const records: ZoneRecords =
    type === 'MX' ? { MX: [{ preference: Number(preference), exchange }] } : { TXT: [value] }
  zone.set(name, { ...zone.get(name), ...records })
  dns.set(name, zone.get(name) ?? null)
}
const take = ({ name }: { name: string }): void => {
  zone.delete(name)
  dns.set(name, null)
}

const add = (name: string): Promise<PresentedDomain> =>
  openDomain(service, { workspaceId: shop.id, name, returnPathHost: null, trackingHost: null })
async function check(name: string): Promise<PresentedDomain> {
  const domain = await lookUpDomain(service, { workspaceId: shop.id, name })
  assert.ok(domain)
  return domain
}
async function addSet(name: string): Promise<PresentedDomain> {
  for (const record of (await add(name)).records) set(record)
  return check(name)
}
/** The settings that mail leaves by, read again. */
const mailDomain = (name: string): Promise<MailDomain> =>
  createMailDomains(service, { ...service.settings, inboundDomain: null }).get(shop.id, name)
const selectors = async (name: string): Promise<string[]> =>
  (await mailDomain(name)).signers.map(({ selector }) => selector)
const statuses = ({ records }: PresentedDomain): unknown[] =>
  records.map(({ purpose, status }) => [purpose, status])
const recordOf = (domain: PresentedDomain, purpose: string): PresentedRecord => {
  const record = domain.records.find((presentedRecord) => presentedRecord.purpose === purpose)
  assert.ok(record)
  return record
}
const notices = async (): Promise<number> =>
  Number(
    (
      await runOn(
        api.database.url,
        "select count(*) as n from message where subject like '%DNS%' or subject like '%vérifié%'",
      )
    ).rows[0]?.n,
  )

/** The mail as it leaves for set.test. */
async function signed(bytes: Buffer, workspaceId = shop.id): Promise<Buffer> {
  const sign = createSignMail(createMailDomains(service, service.settings), service.log)
  const sent = await sign({
    ...envelopeTo('b@example.com', { fromDomain: 'set.test' }),
    ...{ workspaceId, bytes },
  })
  assert.ok('bytes' in sent)
  return sent.bytes
}

test('the records of a domain, and nothing of it is used before they are found', async () => {
  const added = await add('new.test')
  assert.deepEqual(
    added.records.map(({ purpose, type, name, value, required }) => [
      purpose,
      type,
      name.replace(/^fct\w+\./, '*.'),
      required,
      purpose === 'dkim' ? '' : value,
    ]),
    [
      ['dkim', 'TXT', '*._domainkey.new.test', true, ''],
      ['dkim', 'TXT', '*._domainkey.new.test', false, ''],
      ['return_path', 'MX', 'bounce.new.test', false, '10 mx.facteur.test'],
      ['spf', 'TXT', 'bounce.new.test', false, 'v=spf1 ip4:192.0.2.10 -all'],
      [
        'dmarc',
        'TXT',
        '_dmarc.new.test',
        false,
        'v=DMARC1; p=none; rua=mailto:dmarc@bounces.facteur.test',
      ],
      [
        'tls_reports',
        'TXT',
        '_smtp._tls.bounce.new.test',
        false,
        'v=TLSRPTv1; rua=mailto:tlsrpt@bounces.facteur.test',
      ],
    ],
  )
  const checked = await check('new.test')
  assert.equal(checked.status, 'pending')
  assert.ok(checked.records.every(({ status }) => status === 'missing'))
  assert.deepEqual(await mailDomain('new.test'), {
    name: 'new.test',
    signers: [],
    returnPathHost: null,
    trackingBaseUrl: null,
  })
})

test('private keys lie in the database sealed for their place alone', async () => {
  const rows = await service.db.rows<{ selector: string; sealed: Buffer }>(
    sql`select selector, private_key as sealed from domain_key where workspace_id = ${shop.id} and domain = 'new.test'`,
  )
  assert.equal(rows.length, 2)
  for (const { selector, sealed } of rows) {
    assert.ok(!sealed.toString('latin1').includes('MII'))
    service.secrets.open(sealed, `domain key ${shop.id} new.test ${selector}`)
    for (const location of [
      `${shop.id + 1} new.test ${selector}`,
      `${shop.id} other.test ${selector}`,
      `${shop.id} new.test x`,
    ])
      assert.throws(() => service.secrets.open(sealed, `domain key ${location}`))
  }
})

test('set as they are shown, all are found: the domain is verified, its mail signed by both keys, its bounces come to its own host', async () => {
  const domain = await addSet('set.test')
  assert.deepEqual(statuses(domain), [
    ['dkim', 'found'],
    ['dkim', 'found'],
    ['return_path', 'found'],
    ['spf', 'found'],
    ['dmarc', 'found'],
    ['tls_reports', 'found'],
  ])
  assert.deepEqual([domain.status, domain.verifiedBy], ['verified', 'dns'])
  assert.equal((await mailDomain('set.test')).returnPathHost, 'bounce.set.test')
  const mail = Buffer.from(
    'From: a@set.test\r\nDate: Sat, 21 Nov 2026 10:00:00 +0000\r\nSubject: Hello\r\n\r\nHello\r\n',
  )
  const { results } = await dkimVerify(await signed(mail), {
    resolver: async (name, type) => {
      const lookup = await service.resolver.resolve(name, type === 'TXT' ? type : 'TXT')
      return lookup.kind === 'found' ? lookup.records.map((text) => [text]) : []
    },
  })
  assert.deepEqual(
    results.map(({ status }) => [status.result, status.aligned]),
    [
      ['pass', 'set.test'],
      ['pass', 'set.test'],
    ],
  )
  assert.deepEqual(
    await signed(mail, shop.id + 1),
    mail,
    'another workspace has none of these keys',
  )
})

test('keys that cannot be read: the mail is deferred, and does not leave unsigned', async () => {
  const warned: object[] = []
  const sign = createSignMail(
    { get: () => Promise.reject(new Error('no key')) },
    { warn: (fields) => void warned.push(fields) },
  )
  assert.partialDeepStrictEqual(await sign(envelopeTo('you@example.test')), {
    ...{ kind: 'deferred', code: null, slower: false },
  })
  assert.partialDeepStrictEqual(warned, [{ workspaceId: 1, fromDomain: 'demo.test' }])
})

test('a receiver of such a mail finds that SPF, both signatures and DMARC pass, each aligned', async () => {
  const mail = Buffer.from(
    'From: a@set.test\r\nTo: b@example.com\r\nDate: Sat, 21 Nov 2026 10:00:00 +0000\r\nSubject: Hello\r\n\r\nHello\r\n',
  )
  const sender = `b-token@${(await mailDomain('set.test')).returnPathHost}`
  const resolver: DNSResolver = async (name, type) => {
    const lookup = await service.resolver.resolve(name, type === 'TXT' ? type : 'A')
    if (lookup.kind !== 'found') throw Object.assign(new Error(lookup.kind), { code: 'ENOTFOUND' })
    return type === 'TXT' ? lookup.records.map((text) => [text]) : lookup.records
  }
  const observed = await authenticate(await signed(mail), {
    ip: '192.0.2.10',
    helo: 'mx.facteur.test',
    mta: 'mx.example.com',
    sender,
    resolver,
  })
  assert.equal(observed.spf && observed.spf.status.result, 'pass')
  assert.deepEqual(
    observed.dkim.results.map(({ status }) => status.result),
    ['pass', 'pass'],
  )
  assert.ok(observed.dmarc)
  assert.equal(observed.dmarc.status.result, 'pass')
  assert.equal(observed.dmarc.alignment.spf.result, 'bounce.set.test')
  assert.equal(observed.dmarc.alignment.dkim.result, 'set.test')
})

test('the host of links: an alias to our host that answers is used, and dropped as soon as it leads elsewhere', async () => {
  const outbound = createOutbound({
    ...{ allowed: subnetList(loopbackRanges), allowsRanges: true, userAgent: 'Facteur' },
    resolve: (host) =>
      host === 'links.go.test'
        ? Promise.resolve([{ address: '127.0.0.1', family: 4 }])
        : Promise.reject(new Error(host)),
  })
  const baseUrl = api.baseUrl.replace('127.0.0.1', 'mail.facteur.test')
  const settings = { ...service.settings, baseUrl }
  const query = async (): Promise<PresentedRecord> => {
    const domain = await lookUpDomain(
      { ...service, settings, outbound },
      { workspaceId: shop.id, name: 'go.test' },
    )
    assert.ok(domain)
    return recordOf(domain, 'tracking')
  }
  const trackingUrl = async (): Promise<unknown> =>
    (await createMailDomains(service, { baseUrl, inboundDomain: null }).get(shop.id, 'go.test'))
      .trackingBaseUrl
  await add('go.test')
  assert.deepEqual([(await query()).status, await trackingUrl()], ['missing', null])
  dns.set('links.go.test', { CNAME: 'mail.facteur.test' })
  assert.deepEqual(
    [(await query()).status, await trackingUrl()],
    ['found', baseUrl.replace('mail.facteur.test', 'links.go.test')],
  )
  dns.set('links.go.test', { CNAME: 'elsewhere.test' })
  dns.set('elsewhere.test', { A: ['192.0.2.99'] })
  dns.set('mail.facteur.test', { A: ['192.0.2.10'] })
  const moved = await query()
  assert.deepEqual(
    [moved.status, moved.problem, moved.found, await trackingUrl()],
    ['wrong', 'other_host', ['elsewhere.test'], null],
  )
  dns.set('links.go.test', { A: ['192.0.2.10'] })
  assert.equal((await query()).status, 'found', 'the same address serves where no alias may stand')
  await outbound.close()
})

test('links of a campaign go by the customer’s host once it is in use, from its freeze on', async () => {
  const name = shop.domain
  await add(name)
  await service.db.count(sql`
    insert into dns_record (workspace_id, domain, name, type, purpose, status, found, in_use, misses, checked_at)
    values (${shop.id}, ${name}, ${`links.${name}`}, 'CNAME', 'tracking', 'found', '{}', true, 0, facteur_now())`)
  await ask(api.baseUrl, 'POST /api/v1/subscribers', {
    key: shop.key,
    body: { email: 'ada@example.com', double_opt_in: false },
  })
  const created = await ask(api.baseUrl, 'POST /api/v1/campaigns', {
    key: shop.key,
    body: { name: 'C', subject: 'S', text: 'See https://example.com/' },
  })
  const id = String(at(created.body, 'id'))
  assertAnswered(
    await ask(api.baseUrl, `POST /api/v1/campaigns/${id}/send`, { key: shop.key }),
    202,
  )
  const [row] = await service.db.rows<{ url: string }>(
    sql`select compiled->>'baseUrl' as url from campaign where workspace_id = ${shop.id} and id = ${id}`,
  )
  assert.equal(row?.url, api.baseUrl.replace('127.0.0.1', `links.${name}`))
})

test('the answer has each record that is wrong, with what is there and what should be', async () => {
  const { records } = await add('wrong.test')
  const [rsa, ed25519] = records
  dns.set(rsa?.name ?? '', { TXT: ['v=DKIM1; k=rsa; p=AAAA'] })
  dns.set(ed25519?.name ?? '', { TXT: ['v=DKIM1; k=ed25519; p='] })
  dns.set('bounce.wrong.test', {
    MX: [{ preference: 10, exchange: 'elsewhere.test' }],
    TXT: ['v=spf1 include:other.test -all'],
  })
  dns.set('other.test', { TXT: ['v=spf1 ip4:198.51.100.1 -all'] })
  dns.set('_smtp._tls.bounce.wrong.test', { TXT: ['v=TLSRPTv1; rua=mailto:tls@other.test'] })
  dns.set('_dmarc.wrong.test', { TXT: ['v=DMARC1; p=none', 'v=DMARC1; p=reject'] })
  assert.deepEqual(
    (await check('wrong.test')).records.map(({ status, problem, found: result, expected }) => [
      status,
      problem,
      result,
      expected,
    ]),
    [
      ['wrong', 'other_key', ['v=DKIM1; k=rsa; p=AAAA'], rsa?.value],
      ['wrong', 'revoked', ['v=DKIM1; k=ed25519; p='], ed25519?.value],
      ['wrong', 'other_host', ['10 elsewhere.test'], '10 mx.facteur.test'],
      [
        'wrong',
        'not_authorised',
        ['v=spf1 include:other.test -all'],
        'v=spf1 include:other.test ip4:192.0.2.10 -all',
      ],
      [
        'wrong',
        'several_records',
        ['v=DMARC1; p=none', 'v=DMARC1; p=reject'],
        'v=DMARC1; p=none; rua=mailto:dmarc@bounces.facteur.test',
      ],
      [
        'wrong',
        'other_host',
        ['v=TLSRPTv1; rua=mailto:tls@other.test'],
        'v=TLSRPTv1; rua=mailto:tls@other.test,mailto:tlsrpt@bounces.facteur.test',
      ],
    ],
  )
})

/** The TXT record of a file of `test/cases`. */
const spfCase = (file: string): string =>
  /TXT "([^"]*)"/.exec(readFileSync(join(import.meta.dirname, '../../cases', file), 'utf8'))?.[1] ??
  ''
const spfCases = readdirSync(join(import.meta.dirname, '../../cases')).filter((file) =>
  file.startsWith('spf-'),
)

test('an SPF record that receivers cannot read, or in which another term matches before ours, is wrong; the advised one is found', async () => {
  await add('spf.test')
  dns.set('other.test', { TXT: ['v=spf1 ip4:198.51.100.1 -all'] })
  const polled = async (...texts: string[]) => {
    dns.set('bounce.spf.test', { TXT: texts })
    const { status, problem, expected } = recordOf(await check('spf.test'), 'spf')
    return { status, problem, expected: expected ?? '' }
  }
  assert.equal(spfCases.length, 6)
  for (const [texts, problem, advised] of [
    ...spfCases.map(
      (file) =>
        [
          [spfCase(file)],
          file.startsWith('spf-permerror') ? 'unreadable' : 'not_authorised',
        ] as const,
    ),
    [['v=spf1 - all'], 'unreadable', 'v=spf1 ip4:192.0.2.10 -all'],
    [
      ['v=spf1 a:café.test include:other.test ~all'],
      'unreadable',
      'v=spf1 include:other.test ip4:192.0.2.10 ~all',
    ],
    [
      ['v=spf1 ~ip4:192.0.2.0/24 -all'],
      'not_authorised',
      'v=spf1 ip4:192.0.2.10 ~ip4:192.0.2.0/24 -all',
    ],
    [['v=spf1 -all ip4:192.0.2.10'], 'not_authorised', 'v=spf1 ip4:192.0.2.10 -all'],
    [
      ['v=spf1 include:other.test ?all', 'v=spf1 ip4:192.0.2.10 -all'],
      'several_records',
      'v=spf1 include:other.test ip4:192.0.2.10 ?all',
    ],
    [['v=spf1 include:absent.test -all'], 'unreadable', 'v=spf1 ip4:192.0.2.10 -all'],
  ] as const) {
    const first = await polled(...texts)
    assert.deepEqual([first.status, first.problem], ['wrong', problem], texts.join(', '))
    if (advised !== undefined) assert.equal(first.expected, advised)
    assert.deepEqual(await polled(first.expected), {
      status: 'found',
      problem: null,
      expected: 'v=spf1 ip4:192.0.2.10 -all',
    })
  }
})

test('the request for TLS reports: found with our address beside others, in any case; other texts at the name do not count', async () => {
  await add('tls.test')
  const name = '_smtp._tls.bounce.tls.test'
  const polled = async (...texts: string[]): Promise<unknown[]> => {
    dns.set(name, texts.length === 0 ? null : { TXT: texts })
    const { status, problem } = recordOf(await check('tls.test'), 'tls_reports')
    return [status, problem]
  }
  assert.deepEqual(await polled(), ['missing', null])
  assert.deepEqual(await polled('v=spf1 -all'), ['missing', null])
  assert.deepEqual(await polled('v=TLSRPTv1; rua=mailto:tlsrpt@bounces.facteur.test'), [
    'found',
    null,
  ])
  assert.deepEqual(
    await polled('v=TLSRPTv1;rua=https://r.test/tls , mailto:TLSRPT@Bounce.tls.test;', 'other'),
    ['found', null],
  )
  assert.deepEqual(await polled('v=TLSRPTv1; rua=https://r.test/tls'), ['wrong', 'other_host'])
  assert.deepEqual(await polled('v=TLSRPTv1; ruf=mailto:a@b.test'), ['wrong', 'unreadable'])
  assert.deepEqual(
    await polled('v=TLSRPTv1; rua=mailto:a@b.test', 'v=TLSRPTv1; rua=mailto:c@d.test'),
    ['wrong', 'several_records'],
  )
  dns.misbehave(name, 'servfail')
  assert.deepEqual(await polled('v=TLSRPTv1; rua=mailto:tlsrpt@bounces.facteur.test'), [
    'unanswered',
    'dns_failed',
  ])
  dns.misbehave(name, null)
})

test('SPF and return path by an alias to our host, DMARC of the domain above: found as well', async () => {
  dns.set('bounces.facteur.test', {
    ...ours['bounces.facteur.test'],
    TXT: ['v=spf1 a:mx.facteur.test -all'],
  })
  await add('sub.alias.test')
  dns.set('bounce.sub.alias.test', { CNAME: 'bounces.facteur.test' })
  dns.set('_dmarc.alias.test', { TXT: ['v=DMARC1; p=reject'] })
  assert.deepEqual(statuses(await check('sub.alias.test')).slice(2), [
    ['return_path', 'found'],
    ['spf', 'found'],
    ['dmarc', 'found'],
    ['tls_reports', 'missing'],
  ])
})

test('without its own return path, SPF is asked of the domain itself', async () => {
  const settings = { ...service.settings, bounceHost: null, spf: ['include:spf.relay.test'] }
  dns.set('relayed.test', { TXT: ['v=spf1 include:outer.test ~all'] })
  dns.set('outer.test', { TXT: ['v=spf1 include:spf.relay.test -all'] })
  await add('relayed.test')
  const domain = await lookUpDomain(
    { ...service, settings },
    { workspaceId: shop.id, name: 'relayed.test' },
  )
  assert.ok(domain)
  assert.deepEqual(
    domain.records.slice(2).map(({ purpose, name, status }) => [purpose, name, status]),
    [
      ['spf', 'relayed.test', 'found'],
      ['dmarc', '_dmarc.relayed.test', 'missing'],
    ],
  )
})

test('DNS that fails for days takes nothing back', async () => {
  await addSet('outage.test')
  dns.misbehave('*', 'servfail')
  for (const days of [1, 2, 3, 4, 5, 6]) {
    await api.moveClock(`${days} days`)
    const domain = await check('outage.test')
    assert.ok(domain.records.every(({ status }) => status === 'unanswered'))
    assert.equal(domain.status, 'verified')
  }
  assert.equal((await selectors('outage.test')).length, 2)
  assert.equal((await mailDomain('outage.test')).returnPathHost, 'bounce.outage.test')
  dns.misbehave('*', null)
  await api.moveClock('0')
})

test('a required record that is gone: after four looks over a day, and no sooner, the domain is pending and one mail reports it to the workspace', async () => {
  const domain = await addSet('lost.test')
  await addSet(shop.domain)
  const before = await notices()
  take(recordOf(domain, 'dkim'))
  for (const hours of [0, 1, 2, 3, 23]) {
    await api.moveClock(`${hours} hours`)
    assert.equal((await check('lost.test')).status, 'verified', `${hours} hours`)
    assert.equal((await selectors('lost.test')).length, 2)
  }
  await api.moveClock('25 hours')
  assert.equal((await check('lost.test')).status, 'pending')
  assert.equal((await selectors('lost.test')).length, 1, 'what it would sign could not be verified')
  assert.equal(await notices(), before + 1)
  await api.moveClock('27 hours')
  await check('lost.test')
  assert.equal(await notices(), before + 1, 'told once')
  set(recordOf(domain, 'dkim'))
  assert.equal((await check('lost.test')).status, 'verified')
  assert.equal((await selectors('lost.test')).length, 2)
  await api.moveClock('0')
})

test('a return path that is gone is left at once; the domain stays verified, and after a day a mail reports it to the workspace', async () => {
  const domain = await addSet('half.test')
  await addSet(shop.domain)
  dns.set('bounce.half.test', { TXT: zone.get('bounce.half.test')?.TXT ?? [] })
  assert.equal((await check('half.test')).status, 'verified')
  assert.equal((await mailDomain('half.test')).returnPathHost, null)
  const before = await notices()
  for (const hours of [1, 2, 25, 26]) {
    await api.moveClock(`${hours} hours`)
    await check('half.test')
  }
  assert.equal(await notices(), before + 1)
  for (const record of domain.records) set(record)
  await check('half.test')
  assert.equal((await mailDomain('half.test')).returnPathHost, 'bounce.half.test')
  await api.moveClock('0')
})

test('a return path whose SPF does not admit us is not used: our default one passes more checks', async () => {
  await addSet('unsent.test')
  const mx = zone.get('bounce.unsent.test')?.MX ?? []
  dns.set('bounce.unsent.test', { MX: mx, TXT: ['v=spf1 -all'] })
  await check('unsent.test')
  assert.equal((await mailDomain('unsent.test')).returnPathHost, null)
  dns.set('bounce.unsent.test', { MX: mx, TXT: ['v=spf1 ip4:192.0.2.0/24 -all'] })
  await check('unsent.test')
  assert.equal((await mailDomain('unsent.test')).returnPathHost, 'bounce.unsent.test')
})

test('a return path that prefers another host is wrong; hosts of our own domain are ours; silent DNS proves nothing', async () => {
  await addSet('first.test')
  const query = async (MX: ZoneRecords['MX']): Promise<unknown> => {
    dns.set('bounce.first.test', { ...zone.get('bounce.first.test'), MX: MX ?? [] })
    return recordOf(await check('first.test'), 'return_path').status
  }
  const [mine, another] = [
    { preference: 10, exchange: 'mx.facteur.test' },
    { preference: 5, exchange: 'elsewhere.test' },
  ]
  assert.equal(await query([mine, another]), 'wrong')
  assert.equal(await query([mine, { ...another, preference: 20 }]), 'found')
  const second = { preference: 10, exchange: 'mx2.facteur.test' }
  dns.set('bounces.facteur.test', { MX: [second] })
  assert.equal(await query([second]), 'found')
  dns.misbehave('bounces.facteur.test', 'servfail')
  assert.equal(await query([second]), 'unanswered')
  assert.equal((await mailDomain('first.test')).returnPathHost, 'bounce.first.test')
  dns.misbehave('bounces.facteur.test', null)
  dns.set('bounces.facteur.test', ours['bounces.facteur.test'])
})

test('records that name each other again and again are followed ten steps', async () => {
  const settings = { ...service.settings, spf: ['include:spf.relay.test'] }
  await add('maze.test')
  dns.set('bounce.maze.test', { TXT: [`v=spf1 ${'include:maze.maze.test '.repeat(10)}-all`] })
  dns.set('maze.maze.test', { TXT: [`v=spf1 ${'include:maze.maze.test '.repeat(10)}-all`] })
  dns.queries.length = 0
  const domain = await lookUpDomain(
    { ...service, settings },
    { workspaceId: shop.id, name: 'maze.test' },
  )
  assert.equal(domain && recordOf(domain, 'spf').problem, 'not_authorised')
  // By the check, and twice for the record that it advises.
  assert.equal(dns.queries.filter(({ name }) => name === 'maze.maze.test').length, 30)
})

test('keys that are changed when the old record is long gone: the domain stays verified', async () => {
  const domain = await addSet('swap.test')
  take(recordOf(domain, 'dkim'))
  for (const hours of [0, 1, 2]) {
    await api.moveClock(`${hours} hours`)
    await check('swap.test')
  }
  for (const record of (await rotateKeys(service, { workspaceId: shop.id, name: 'swap.test' }))
    ?.domain.records ?? [])
    if (record.key?.state === 'waiting') set(record)
  await api.moveClock('25 hours')
  assert.equal((await check('swap.test')).status, 'verified')
  assert.equal((await selectors('swap.test')).length, 2)
  await api.moveClock('0')
})

test('a domain that the operator verified is never taken back', async () => {
  await shop.addDomain('forced.test', { verified: true })
  const domain = await addSet('forced.test')
  assert.deepEqual([domain.status, domain.verifiedBy], ['verified', 'operator'])
  for (const record of domain.records) take(record)
  for (const days of [0, 1, 2, 3, 4, 5]) {
    await api.moveClock(`${days} days`)
    assert.equal((await check('forced.test')).status, 'verified')
  }
  assert.deepEqual(await selectors('forced.test'), [])
  await api.moveClock('0')
})

test('rotation: the new pair is listed, signs once found; the old one stays listed for a week and then loses its private halves', async () => {
  const old = new Set((await addSet('turn.test')).records.map(({ name }) => name))
  const [first, second] = await Promise.all([
    rotateKeys(service, { workspaceId: shop.id, name: 'turn.test' }),
    rotateKeys(service, { workspaceId: shop.id, name: 'turn.test' }),
  ])
  assert.deepEqual(
    [first?.underWay, second?.underWay].toSorted(),
    [false, true],
    'asked twice, made once',
  )
  const keysOf = ({ records }: PresentedDomain): unknown[] =>
    records.flatMap(({ name, key }) => (key ? [[old.has(name) ? 'old' : 'new', key.state]] : []))
  const before = await selectors('turn.test')
  const waiting = await check('turn.test')
  assert.deepEqual(keysOf(waiting), [
    ['new', 'waiting'],
    ['new', 'waiting'],
    ['old', 'signing'],
    ['old', 'signing'],
  ])
  assert.deepEqual(await selectors('turn.test'), before)
  for (const record of waiting.records.filter(({ key }) => key?.state === 'waiting')) set(record)
  assert.deepEqual(keysOf(await check('turn.test')), [
    ['new', 'signing'],
    ['new', 'signing'],
    ['old', 'retiring'],
    ['old', 'retiring'],
  ])
  assert.equal((await selectors('turn.test')).length, 2)
  assert.ok((await selectors('turn.test')).every((selector) => !before.includes(selector)))
  await api.moveClock('6 days')
  assert.equal((await check('turn.test')).records.filter(({ key }) => key).length, 4)
  await api.moveClock('8 days')
  await check('turn.test')
  assert.deepEqual(keysOf(await check('turn.test')), [
    ['new', 'signing'],
    ['new', 'signing'],
  ])
  const retired = await service.db.rows(sql`
    select 1 from domain_key where workspace_id = ${shop.id} and domain = 'turn.test' and state = 'retired' and private_key is null`)
  assert.equal(retired.length, 2)
  await api.moveClock('0')
})

test('a domain in use is not removed; with nothing left of it, it goes with its keys', async () => {
  await add('gone.test')
  await service.db.count(
    sql`insert into sender (workspace_id, id, email, created_at) values (${shop.id}, gen_random_uuid(), 'a@gone.test', facteur_now())`,
  )
  assert.deepEqual(await dropDomain(service, { workspaceId: shop.id, name: 'gone.test' }), {
    senders: 1,
    campaigns: 0,
    waiting: 0,
  })
  await service.db.count(
    sql`delete from sender where workspace_id = ${shop.id} and email = 'a@gone.test'`,
  )
  assert.equal(await dropDomain(service, { workspaceId: shop.id, name: 'gone.test' }), 'removed')
  assert.equal(await dropDomain(service, { workspaceId: shop.id, name: 'gone.test' }), 'unknown')
  assert.deepEqual(
    await service.db.rows(
      sql`select 1 from domain_key where workspace_id = ${shop.id} and domain = 'gone.test'`,
    ),
    [],
  )
})

test('the background looks by itself: at a new domain after two minutes, by one process at a time', async () => {
  const { lookUpDueDomain } = await import('../../../src/core/domains/look-up-due-domain.ts')
  const own = await api.workspace('background')
  const domain = await openDomain(service, {
    workspaceId: own.id,
    name: 'late.test',
    returnPathHost: null,
    trackingHost: null,
  })
  for (const record of domain.records) set(record)
  assert.equal(await lookUpDueDomain(service, own.id), false, 'not yet')
  await api.moveClock('3 minutes')
  const [first, second] = await Promise.all([
    lookUpDueDomain(service, own.id),
    lookUpDueDomain(service, own.id),
  ])
  assert.deepEqual([first, second].toSorted(), [false, true])
  const [row] = await service.db.rows<{ status: string; hours: number }>(sql`
    select status, (extract(epoch from next_check_at - facteur_now()) / 3600)::float8 as hours from domain
    where workspace_id = ${own.id} and name = 'late.test'`)
  assert.ok(row)
  assert.equal(row.status, 'verified')
  assert.ok(row.hours > 5 && row.hours <= 6)
  await api.moveClock('0')
})
