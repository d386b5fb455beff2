/**
 * DMARC and TLS reports that come by mail are stored for the domains that a workspace here has
 * verified, and decide nothing.
 */
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { reportRecordsMax } from '../../src/contract/workspace/domain-reports.ts'
import { domainKeysOf } from '../../src/db/domains/domain-keys.ts'
import {
  addDmarcSources,
  dmarcRowsMax,
  type DmarcSourceRow,
} from '../../src/db/domain-reports/dmarc-sources.ts'
import {
  addTlsResults,
  tlsRowsMax,
  type ReportedTlsRow,
} from '../../src/db/domain-reports/tls-results.ts'
import { expireRows } from '../../src/db/retention/expire-rows.ts'
import { reportTallies } from '../../src/db/domain-reports/report-tally.ts'
import { sql } from '../../src/database/client/sql.ts'
import { keyRecord, publicKeyOf } from '../../src/mail/signing/dkim-record.ts'
import { signMessage } from '../../src/mail/signing/dkim.ts'
import { callVerb } from '../support/call-verb.ts'
import { startDnsServer } from '../support/dns-server.ts'
import { hostileReports } from '../support/hostile-reports.ts'
import {
  receiverMail,
  reportMail,
  shapeOf,
  tlsReport,
  type Shape,
  type ShapedRecord,
} from '../support/report-mails.ts'
import { handIn } from '../support/smtp-talk.ts'
import { startSignedWorld } from './signed-world.ts'
import { inboundDomain } from './world.ts'

const dns = await startDnsServer()
const world = await startSignedWorld({
  dnsServers: [dns.address],
  settings: { bounceHost: 'mx.facteur.test' },
})
const { db } = world.service
const [yesterday, today] = [
  Math.floor(Date.now() / 86_400_000 - 1) * 86_400,
  Math.floor(Date.now() / 86_400_000) * 86_400,
]

const googleKey = generateKeyPairSync('ed25519')
dns.set('r1._domainkey.google.com', {
  TXT: [keyRecord('ed25519-sha256', publicKeyOf(googleKey.publicKey))],
})

/** As the reporter's own servers sign. */
const signed = (mail: Buffer, { domain = 'google.com', selector = 'r1' } = {}): Promise<Buffer> =>
  signMessage(
    mail,
    [{ algorithm: 'ed25519-sha256', domain, selector, key: googleKey.privateKey }],
    { signedAt: new Date() },
  )

const record = (more: Partial<ShapedRecord> & { headerFrom: string }): ShapedRecord => ({
  ...{ source: '192.0.2.1', count: 10, disposition: 'none', dkim: true, spf: true },
  ...more,
})

const shape = (domain: string, records: ShapedRecord[], more: Partial<Shape> = {}): Shape => ({
  ...{
    reporter: 'google.com',
    organisation: 'google.com',
    domain,
    id: `id of ${domain}`,
    begins: yesterday,
    records,
  },
  ...more,
})

async function report(bytes: Buffer, kind: 'dmarc' | 'tlsrpt' = 'dmarc'): Promise<string> {
  assert.match(
    await handIn(world.port, { from: 'noreply@google.com', to: `${kind}@${inboundDomain}`, bytes }),
    /^250/,
  )
  return world.ends.at(-1) ?? ''
}

const read = ({ id, domain }: { id: number; domain: string }) =>
  callVerb(world.service, id, 'getDomainReports', { params: { name: domain } })

test('who sends as the domain, what fails and what is ours: by day and by source', async () => {
  const shop = await world.signing('Dmarc')
  const [key] = await domainKeysOf(db, shop.id, shop.domain)
  const records = [
    record({ headerFrom: shop.domain, count: 100, selector: key?.selector ?? '' }),
    record({
      headerFrom: shop.domain,
      source: '198.51.100.66',
      count: 7,
      dkim: false,
      spf: false,
      disposition: 'quarantine',
    }),
    record({ headerFrom: `news.${shop.domain}`, source: '2001:db8::1', count: 3, dkim: false }),
    record({ headerFrom: 'elsewhere.test', source: '203.0.113.9', count: 1_000 }),
  ]
  const mail = await signed(receiverMail('google', shape(shop.domain, records)))
  assert.equal(await report(mail), 'stored')
  assert.equal(await report(mail), 'repeated')
  assert.equal(
    await report(
      await signed(
        receiverMail(
          'google',
          shape(shop.domain, records.slice(0, 1), { id: 'the next', begins: today }),
        ),
      ),
    ),
    'stored',
  )
  const { dmarc } = await read(shop)
  assert.deepEqual(dmarc.days, [
    {
      day: new Date(yesterday * 1000).toISOString().slice(0, 10),
      passed: 103,
      failed: 7,
      unproven: 0,
    },
    { day: new Date(today * 1000).toISOString().slice(0, 10), passed: 100, failed: 0, unproven: 0 },
  ])
  const common = { reporters: ['google.com'], proven: true, rejected: 0 }
  assert.deepEqual(dmarc.sources, [
    {
      ...{
        source: '192.0.2.1',
        header_from: shop.domain,
        ours: true,
        dkim_domain: shop.domain,
        spf_domain: `bounce.${shop.domain}`,
      },
      ...{ messages: 200, passed: 200, dkim: 200, spf: 200, quarantined: 0, ...common },
    },
    {
      ...{
        source: '198.51.100.66',
        header_from: shop.domain,
        ours: false,
        dkim_domain: null,
        spf_domain: 'elsewhere.example',
      },
      ...{ messages: 7, passed: 0, dkim: 0, spf: 0, quarantined: 7, ...common },
    },
    {
      ...{
        source: '2001:db8::1',
        header_from: `news.${shop.domain}`,
        ours: false,
        dkim_domain: null,
        spf_domain: `bounce.news.${shop.domain}`,
      },
      ...{ messages: 3, passed: 3, dkim: 0, spf: 3, quarantined: 0, ...common },
    },
  ])
})

test('a report whose mail its reporter did not sign is stored apart, and takes no place of a proven one', async () => {
  const shop = await world.signing('Unproven')
  const mail = receiverMail(
    'google',
    shape(shop.domain, [record({ headerFrom: shop.domain, count: 5 })]),
  )
  const forgeries = [
    mail,
    await signed(mail, { domain: 'evil.test' }),
    await signed(mail, { selector: 'nowhere' }),
    Buffer.from((await signed(mail)).toString().replace(/^Subject: .*$/m, 'Subject: another\r')),
  ]
  assert.equal(await report(mail), 'stored_unproven')
  for (const forged of forgeries.slice(1))
    assert.equal(await report(forged), 'repeated', 'the same report without proof')
  assert.equal(await report(await signed(mail)), 'stored')
  const { dmarc } = await read(shop)
  assert.deepEqual(
    dmarc.days.map(({ passed, failed, unproven }) => ({ passed, failed, unproven })),
    [{ passed: 5, failed: 0, unproven: 5 }],
  )
  assert.deepEqual(dmarc.sources.map(({ proven, messages }) => [proven, messages]).toSorted(), [
    [false, 5],
    [true, 5],
  ])
})

test('a domain that nobody here has verified, a time long ago or to come: counted, and not stored', async () => {
  const records = (domain: string) => [record({ headerFrom: domain })]
  const shop = await world.signing('Times')
  assert.equal(
    await report(receiverMail('yahoo', shape('unknown.test', records('unknown.test')))),
    'unknown_domain',
  )
  const pending = await world.workspace('Not verified')
  await pending.addDomain('pending.test', { verified: false })
  assert.equal(
    await report(receiverMail('yahoo', shape('pending.test', records('pending.test')))),
    'unknown_domain',
  )
  for (const begins of [yesterday - 41 * 86_400, today + 3 * 86_400])
    assert.equal(
      await report(receiverMail('yahoo', shape(shop.domain, records(shop.domain), { begins }))),
      'too_old',
    )
  assert.deepEqual((await read(shop)).dmarc, { days: [], sources: [], cut_reports: 0 })
  const tallies = await reportTallies(world.service.databases.home.db)
  assert.equal(
    tallies.find(({ kind, outcome }) => kind === 'dmarc' && outcome === 'unknown_domain')?.mails,
    2,
  )
})

test('a report speaks of the domain of its policy and those below it, not of another one that is verified here', async () => {
  const [shop, other] = [await world.signing('DmarcPolicy'), await world.signing('DmarcOther')]
  const records = [
    record({ headerFrom: shop.domain, count: 2 }),
    record({ headerFrom: `news.${shop.domain}`, count: 1 }),
    record({ headerFrom: other.domain, count: 1_000 }),
  ]
  assert.equal(
    await report(await signed(receiverMail('google', shape(shop.domain, records)))),
    'stored',
  )
  const messagesOf = async (of: typeof shop) =>
    (await read(of)).dmarc.sources.map(({ messages }) => messages)
  assert.deepEqual([await messagesOf(shop), await messagesOf(other)], [[2, 1], []])
})

test('two workspaces with one domain both see it; a subdomain of its own is seen where it is verified', async () => {
  const [first, second] = [await world.signing('One'), await world.signing('Two')]
  await second.addDomain(first.domain)
  await second.addDomain(`sub.${first.domain}`)
  const records = [
    record({ headerFrom: `a.sub.${first.domain}`, count: 4 }),
    record({ headerFrom: first.domain, count: 6 }),
  ]
  assert.equal(
    await report(await signed(receiverMail('google', shape(first.domain, records)))),
    'stored',
  )
  const observed = async (of: { id: number; domain: string }) =>
    (await read(of)).dmarc.sources.map(({ messages }) => messages)
  assert.deepEqual(await observed(first), [6, 4])
  assert.deepEqual(
    await observed({ ...second, domain: first.domain }),
    [6],
    'the nearest of its domains has the others',
  )
  assert.deepEqual(await observed({ ...second, domain: `sub.${first.domain}` }), [4])
})

test('a day stores so many sources, and adds the others up; without proof fewer', async () => {
  const shop = await world.signing('Many')
  const records = Array.from({ length: 1_200 }, (_, n) =>
    record({ headerFrom: shop.domain, source: `10.0.${n >> 8}.${n & 255}`, count: 2_000 - n }),
  )
  assert.equal(
    await report(await signed(receiverMail('google', shape(shop.domain, records)))),
    'stored',
  )
  assert.equal(
    await report(receiverMail('google', shape(shop.domain, records, { id: 'without' }))),
    'stored_unproven',
  )
  const rows = await db.rows<{ proven: boolean; rows: number; messages: number }>(sql`
    select proven, count(*)::int as rows, sum(messages)::float8 as messages from dmarc_source where workspace_id = ${shop.id} group by proven order by proven`)
  const messages = records.reduce((sum, { count }) => sum + count, 0)
  assert.deepEqual(rows, [
    { proven: false, rows: dmarcRowsMax.unproven + 1, messages },
    { proven: true, rows: dmarcRowsMax.proven + 1, messages },
  ])
  assert.equal((await read(shop)).dmarc.sources.length, 100)
})

test('a report of more than 2,000 records says that it was cut: once, and of its domain alone', async () => {
  const [shop, other] = [await world.signing('Cut'), await world.signing('Whole')]
  const next = (domain: string, count: number): Promise<Buffer> => {
    const records = Array.from({ length: count }, (_, n) =>
      record({ headerFrom: domain, count: n < reportRecordsMax ? 1 : 1_000 }),
    )
    return signed(receiverMail('google', shape(domain, records)))
  }
  const cut = await next(shop.domain, reportRecordsMax + 1)
  assert.equal(await report(cut), 'stored')
  assert.equal(await report(cut), 'repeated')
  assert.equal(await report(await next(other.domain, reportRecordsMax)), 'stored')
  const { dmarc } = await read(shop)
  assert.equal(dmarc.cut_reports, 1)
  assert.deepEqual(
    dmarc.days.map(({ passed }) => passed),
    [reportRecordsMax],
    'the other records count nowhere',
  )
  assert.equal((await read(other)).dmarc.cut_reports, 0)
})

test('a day takes 50 reports without proof, and goes on taking those with it', async () => {
  const shop = await world.signing('Flood')
  const next = (id: string) =>
    receiverMail('google', shape(shop.domain, [record({ headerFrom: shop.domain })], { id }))
  for (let n = 0; n < 50; n++) assert.equal(await report(next(String(n))), 'stored_unproven')
  assert.equal(await report(next('one more')), 'too_many')
  assert.equal(await report(await signed(next('with proof'))), 'stored')
})

test('TLS reports: on the domain and on the host of its return paths, failures by host', async () => {
  const shop = await world.signing('Tls')
  const mail = (json: object, type = 'application/tlsrpt+gzip') =>
    signed(
      reportMail({
        from: 'noreply-smtp-tls-reporting@google.com',
        type,
        file: type.endsWith('gzip')
          ? gzipSync(JSON.stringify(json))
          : Buffer.from(JSON.stringify(json)),
      }),
    )
  const begins = `${new Date(yesterday * 1000).toISOString().slice(0, 10)}T00:00:00Z`
  const ofDomain = tlsReport({ begins, domain: shop.domain, host: `mx.${shop.domain}` })
  assert.equal(await report(await mail(ofDomain), 'tlsrpt'), 'stored')
  assert.equal(await report(await mail(ofDomain), 'tlsrpt'), 'repeated')
  const host = `bounce.${shop.domain}`
  assert.equal(
    await report(
      await mail(
        tlsReport({ id: '2', begins, domain: host, host: 'mx.facteur.test' }),
        'application/tlsrpt+json',
      ),
      'tlsrpt',
    ),
    'stored',
  )
  const { tls } = await read(shop)
  assert.deepEqual(
    tls.days.map(({ succeeded, failed, unproven }) => ({ succeeded, failed, unproven })),
    [{ succeeded: 240, failed: 14, unproven: 0 }],
  )
  const failures = tls.results.filter(({ result }) => result !== 'success')
  assert.deepEqual(
    failures.map((failure) => [
      failure.host,
      failure.policy_domain,
      failure.result,
      failure.sessions,
    ]),
    [
      ['mx.facteur.test', host, 'certificate-expired', 4],
      [`mx.${shop.domain}`, shop.domain, 'certificate-expired', 4],
      [`backup.${host}`, host, 'starttls-not-supported', 2],
      [`backup.${shop.domain}`, shop.domain, 'starttls-not-supported', 2],
      [null, host, 'other', 1],
      [null, shop.domain, 'other', 1],
    ],
  )
  assert.deepEqual(tls.record, {
    name: `_smtp._tls.${host}`,
    value: `v=TLSRPTv1; rua=mailto:tlsrpt@${inboundDomain}`,
    is_found: false,
  })
  for (const broken of [
    {},
    { ...ofDomain, policies: [] },
    { ...ofDomain, 'report-id': 7 },
    { ...ofDomain, policies: Array.from({ length: 101 }, () => ofDomain.policies[0]) },
  ])
    assert.match(
      await handIn(world.port, { to: `tlsrpt@${inboundDomain}`, bytes: await mail(broken) }),
      /^554/,
    )
  for (const text of ['[', '[]', 'null', '['.repeat(100_000), `"${'x'.repeat(2_100_000)}"`])
    assert.match(
      await handIn(world.port, {
        to: `tlsrpt@${inboundDomain}`,
        bytes: await signed(
          reportMail({
            from: 'a@google.com',
            type: 'application/tlsrpt+gzip',
            file: gzipSync(text),
          }),
        ),
      }),
      /^554/,
    )
})

test('a day stores so many results of TLS reports, without proof fewer', async () => {
  const shop = await world.signing('Many results')
  const begins = `${new Date(yesterday * 1000).toISOString().slice(0, 10)}T00:00:00Z`
  const [policy] = tlsReport({ begins, domain: shop.domain, host: `mx.${shop.domain}` }).policies
  const failures = Array.from({ length: 600 }, (_, n) => ({
    ...{
      'result-type': 'certificate-expired',
      'receiving-mx-hostname': `mx${n}.${shop.domain}`,
      'failed-session-count': 1,
    },
  }))
  const mail = reportMail({
    ...{ from: 'noreply-smtp-tls-reporting@google.com', type: 'application/tlsrpt+gzip' },
    file: gzipSync(
      JSON.stringify({
        ...tlsReport({ begins, domain: shop.domain, host: `mx.${shop.domain}` }),
        policies: [{ ...policy, 'failure-details': failures }],
      }),
    ),
  })
  assert.equal(await report(await signed(mail), 'tlsrpt'), 'stored')
  assert.equal(await report(mail, 'tlsrpt'), 'stored_unproven')
  const rows = await db.rows<{ proven: boolean; rows: number }>(sql`
    select proven, count(*)::int as rows from reported_tls_result where workspace_id = ${shop.id} group by proven order by proven`)
  assert.deepEqual(rows, [
    { proven: false, rows: tlsRowsMax.unproven },
    { proven: true, rows: tlsRowsMax.proven },
  ])
})

test('proven rows come first: ones without proof, whatever they say, push none off the page', async () => {
  const shop = await world.signing('Pushed')
  const day = { domain: shop.domain, begins: yesterday, reporter: 'google.com' }
  const source = (n: number, messages: number): DmarcSourceRow => ({
    ...{
      source: `192.0.2.${n}`,
      headerFrom: shop.domain,
      dkim: true,
      spf: true,
      disposition: 'none',
      ours: false,
    },
    ...{ dkimDomain: null, spfDomain: null, messages },
  })
  const result = (n: number, sessions: number, kind: string): ReportedTlsRow => ({
    ...{
      policyDomain: shop.domain,
      policy: 'sts',
      host: `mx${n}.${shop.domain}`,
      result: kind,
      sessions,
    },
  })
  const many = Array.from({ length: 100 }, (_, n) => n)
  await addDmarcSources(
    db,
    shop.id,
    { ...day, proven: false },
    many.map((n) => source(n, 1_000_000)),
  )
  await addDmarcSources(db, shop.id, { ...day, proven: true }, [source(200, 1)])
  await addTlsResults(
    db,
    shop.id,
    { ...day, proven: false },
    many.map((n) => result(n, 1_000_000, 'certificate-expired')),
  )
  await addTlsResults(db, shop.id, { ...day, proven: true }, [result(200, 1, 'success')])
  const { dmarc, tls } = await read(shop)
  assert.partialDeepStrictEqual(dmarc.sources[0], { source: '192.0.2.200', proven: true })
  assert.partialDeepStrictEqual(tls.results[0], { host: `mx200.${shop.domain}`, proven: true })
  assert.deepEqual([dmarc.sources.length, tls.results.length], [100, 100])
})

test('what is no report gets 554, and the next report is read', async () => {
  const shop = await world.signing('Hostile')
  for (const name of [
    'a gzip bomb of zeros',
    'a billion laughs',
    'a hundred thousand levels',
    'a zip bomb that says its size',
  ] as const)
    assert.match(
      await handIn(world.port, {
        to: `dmarc@${inboundDomain}`,
        bytes: hostileReports[name]?.() ?? '',
      }),
      /^554/,
    )
  assert.equal(
    await report(
      await signed(
        receiverMail('google', shape(shop.domain, [record({ headerFrom: shop.domain })])),
      ),
    ),
    'stored',
  )
})

test('reports of all nine shapes come through the port', async () => {
  const shop = await world.signing('Shapes')
  for (let n = 0; n < 9; n++) {
    const { receiver, shape: shaped } = shapeOf(n, { domain: shop.domain, begins: yesterday })
    assert.equal(await report(receiverMail(receiver, shaped)), 'stored_unproven', receiver)
  }
})

test('404 for a domain of another workspace', async () => {
  const [first, second] = [await world.signing('Mine'), await world.signing('Theirs')]
  await assert.rejects(read({ ...first, domain: second.domain }), { code: 'not_found' })
})

test('what was reported expires with the details of deliveries', async () => {
  const log = { error: () => assert.fail('deleted'), warn: () => undefined, info: () => undefined }
  const rows = async (): Promise<number> =>
    db.onlyValue<number>(sql`
      select ((select count(*) from dmarc_source) + (select count(*) from domain_report) + (select count(*) from reported_tls_result))::int as rows`)
  assert.ok((await rows()) > 100)
  const expire = () =>
    expireRows(
      { db, log },
      { pause: () => Promise.resolve(), stopping: new AbortController().signal },
    )
  await expire()
  await world.moveClock('460 days')
  await expire()
  assert.equal(await rows(), 0)
  await world.moveClock('0')
})
