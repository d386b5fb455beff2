/**
 * What the large receivers demand of a domain: met, not met, unknown or not ours, since when, and
 * the record that would meet it. DNS is a name server of the test, Gmail a server with the shapes
 * of Google's API.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import {
  complianceRequirements,
  demands,
  receiverOf,
  mailReceivers,
  type ComplianceRequirement,
} from '../../../src/contract/compliance.ts'
import type { DomainCompliance } from '../../../src/contract/workspace/compliance.ts'
import { presentCompliance } from '../../../src/core/domains/get-domain-compliance.ts'
import { lookUpDomain } from '../../../src/core/domains/look-up-domain.ts'
import { openDomain } from '../../../src/core/domains/open-domain.ts'
import { pollPostmaster } from '../../../src/core/postmaster/poll-postmaster.ts'
import { readServiceAccount } from '../../../src/core/postmaster/service-account.ts'
import { makeAttempt } from '../../../src/core/sending/attempt.ts'
import {
  createSenderVolumes,
  type SenderVolumes,
} from '../../../src/core/sending/sender-volumes.ts'
import { sql } from '../../../src/database/client/sql.ts'
import { organizationOf } from '../../../src/ground/dns/organization.ts'
import { dmarcPolicy } from '../../../src/core/domain-records/expected-records.ts'
import { evaluateCompliance } from '../../../src/core/compliance/evaluate-compliance.ts'
import type { ComplianceFacts } from '../../../src/core/compliance/compliance-facts.ts'
import { createLocalCapture } from '../../../src/providers/local-capture/local-capture.ts'
import type { Outcome, Provider } from '../../../src/providers/provider.ts'
import { startApi } from '../../support/api.ts'
import { startDnsServer } from '../../support/dns-server.ts'
import { daysAgo, startGoogleStandIn } from '../../support/google-stand-in.ts'
import { moveClock } from '../../support/database.ts'

const dns = await startDnsServer({
  names: {
    'mx.facteur.test': { A: ['192.0.2.10'] },
    '10.2.0.192.in-addr.arpa': { PTR: ['other.facteur.test', 'mx.facteur.test'] },
    'other.facteur.test': { A: ['192.0.2.99'] },
  },
})
const google = await startGoogleStandIn()
after(() => google.close())
const api = await startApi({
  workers: false,
  dnsServers: [dns.address],
  outbound: { resolve: () => Promise.resolve([{ address: '93.184.216.34', family: 4 }]) },
  settings: {
    ...{
      bounceHost: 'mx.facteur.test',
      inboundDomain: 'bounces.facteur.test',
      spf: ['ip4:192.0.2.10'],
    },
    ...{
      way: 'direct',
      sourceAddresses: ['192.0.2.10'],
      postmasterAddress: 'postmaster@acme-mail.iam.gserviceaccount.com',
    },
  },
})
// Links are by a name with TLS, as of an installation that faces the world.
const service = {
  ...api.service,
  settings: { ...api.service.settings, baseUrl: 'https://mail.facteur.test' },
}
const { db } = service
const shop = await api.workspace('shop')

async function check(name: string): Promise<DomainCompliance> {
  await lookUpDomain(
    { ...service, outbound: { ...service.outbound, send: answersNothing } },
    { workspaceId: shop.id, name },
  )
  const shown = await presentCompliance(service, { workspaceId: shop.id, name })
  assert.ok(shown)
  return shown
}
const answersNothing = () => Promise.resolve({ kind: 'refused', reason: 'address' } as const)

/** A domain whose records are all set, as they are shown. */
async function addSet(name: string): Promise<void> {
  const { records } = await openDomain(service, {
    workspaceId: shop.id,
    name,
    returnPathHost: null,
    trackingHost: null,
  })
  for (const { type, name: at, value } of records) {
    const [preference, exchange = ''] = value.split(' ')
    dns.set(
      at,
      type === 'MX' ? { MX: [{ preference: Number(preference), exchange }] } : { TXT: [value] },
    )
  }
  dns.set(`_dmarc.${name}`, { TXT: ['v=DMARC1; p=none; rua=mailto:dmarc@bounces.facteur.test'] })
  dns.set(name, { MX: [{ preference: 10, exchange: 'mx.facteur.test' }] })
}

const of = ({ requirements }: DomainCompliance, expected: ComplianceRequirement) => {
  const match = requirements.find(({ requirement }) => requirement === expected)
  assert.ok(match)
  return match
}
/** What is known of a domain, as it matters for the record of DMARC. */
const dmarcFacts = (
  known: Pick<ComplianceFacts, 'dmarc' | 'takesMail' | 'reportAddress'>,
): ComplianceFacts => ({
  ...{
    domain: 'a.test',
    way: 'direct',
    dkim: null,
    spf: null,
    spfAligned: null,
    sources: [],
    gmailDays: [],
    volumes: [],
  },
  ...{
    baseUrl: {
      url: 'https://facteur.test',
      host: 'facteur.test',
      addresses: 'public',
      isHttps: true,
    },
    ...known,
  },
})
const dmarcRecords = (known: Parameters<typeof dmarcFacts>[0]): (string | null)[] =>
  evaluateCompliance(dmarcFacts(known)).flatMap(({ requirement, record }) =>
    requirement === 'dmarc' || requirement === 'dmarc_reports' ? [record?.value ?? null] : [],
  )
const statesOf = ({ requirements }: DomainCompliance) =>
  Object.fromEntries(
    requirements.map(({ requirement, state, reason }) => [requirement, `${state} ${reason}`]),
  )

/** One mail of bulk.test to Gmail by this provider. */
const attemptBy = (provider: Provider, volumes: SenderVolumes) =>
  makeAttempt(
    {
      ...service,
      providers: { ...service.providers, of: () => provider },
      onDeparture: volumes.count,
    },
    {
      providerPace: { observe: () => Promise.resolve() },
      attempt: {
        ...{ workspaceId: shop.id, reference: 'a mail', attempt: 1, logged: {} },
        ...{ recipient: 'ada@Gmail.com', fromDomain: 'bulk.test' },
        lease: { mayProceed: () => true },
        points: { beforeCompose: '', beforeProvider: '', atMail: '', atDot: '', afterDot: '' },
        compose: () => ({ bytes: Buffer.from(''), utf8: false, returnPath: '' }),
      },
    },
  )

test('each requirement is demanded by at least one receiver, and each receiver demands DMARC', () => {
  for (const requirement of complianceRequirements)
    assert.ok(Object.keys(demands[requirement]).length > 0, requirement)
  for (const receiver of mailReceivers) assert.ok(demands.dmarc[receiver], receiver)
})

test('all is set: the first check already finds that everything that can be known is met', async () => {
  await addSet('good.test')
  assert.deepEqual(statesOf(await check('good.test')), {
    ...{ spf: 'met good', dkim: 'met good', dmarc: 'met good', alignment: 'met good' },
    ...{
      one_click: 'met good',
      visible_link: 'met good',
      reverse_dns: 'met good',
      tls: 'met good',
    },
    ...{ spam_rate: 'unknown no_gmail_rate', volume: 'not_applicable below_bulk' },
    ...{ dmarc_reports: 'met good', sender_domain: 'met good' },
  })
})

test('nothing is set: what is not met, with the exact record', async () => {
  await openDomain(service, {
    workspaceId: shop.id,
    name: 'bare.test',
    returnPathHost: null,
    trackingHost: null,
  })
  const shown = await check('bare.test')
  assert.deepEqual(statesOf(shown), {
    ...{
      spf: 'not_met spf_fails',
      dkim: 'not_met not_signed',
      dmarc: 'not_met no_dmarc',
      alignment: 'not_met dmarc_fails',
    },
    ...{
      one_click: 'not_met not_signed',
      visible_link: 'met good',
      reverse_dns: 'met good',
      tls: 'met good',
    },
    ...{ spam_rate: 'unknown no_gmail_rate', volume: 'not_applicable below_bulk' },
    ...{ dmarc_reports: 'not_met no_dmarc_reports', sender_domain: 'not_met no_mail_host' },
  })
  assert.deepEqual(of(shown, 'dmarc').record, {
    ...{
      type: 'TXT',
      name: '_dmarc.bare.test',
      value: 'v=DMARC1; p=none; rua=mailto:dmarc@bounces.facteur.test',
    },
  })
  assert.deepEqual(of(shown, 'spf').record, {
    type: 'TXT',
    name: 'bounce.bare.test',
    value: 'v=spf1 ip4:192.0.2.10 -all',
  })
  assert.deepEqual(of(shown, 'dmarc').demanded_by.at(-1), { receiver: 'laposte', of: 'all' })
})

test('a policy without an address for reports keeps its own words in the record that is asked for', async () => {
  await addSet('silent.test')
  dns.set('_dmarc.silent.test', { TXT: ['v=DMARC1; p=quarantine; adkim=s;'] })
  const shown = await check('silent.test')
  assert.deepEqual(
    of(shown, 'dmarc_reports').record?.value,
    'v=DMARC1; p=quarantine; adkim=s; rua=mailto:dmarc@bounces.facteur.test',
  )
})

test('DMARC: one value for the name, that of the list of records, and no address where no server takes mail', () => {
  const none = { kind: 'none' } as const
  const reportAddress = 'dmarc@bounces.facteur.test'
  const ours = dmarcPolicy(reportAddress)
  assert.deepEqual(dmarcRecords({ dmarc: none, takesMail: false, reportAddress }), [ours, ours])
  for (const takesMail of [true, false, null])
    assert.deepEqual(dmarcRecords({ dmarc: none, takesMail, reportAddress: null }), [
      'v=DMARC1; p=none',
      null,
    ])
  const result = {
    kind: 'found',
    at: 'a.test',
    policy: 'reject',
    text: 'v=DMARC1; p=reject',
  } as ComplianceFacts['dmarc']
  const advised = (takesMail: boolean | null) =>
    dmarcRecords({ dmarc: result, takesMail, reportAddress: null })[1]
  assert.equal(advised(true), 'v=DMARC1; p=reject; rua=mailto:postmaster@a.test')
  assert.equal(advised(false), null)
  assert.equal(advised(null), null)
})

test('since: a row changes only when its result does, and a DNS that does not answer changes nothing', async () => {
  await addSet('since.test')
  await check('since.test')
  const first = await check('since.test')
  const versions = () =>
    db.column<string>(
      sql`select xmin::text from domain_compliance where workspace_id = ${shop.id} and domain = 'since.test' order by requirement`,
    )
  const before = await versions()
  await moveClock(api.database.url, '2 days')
  assert.deepEqual(of(await check('since.test'), 'dmarc').since, of(first, 'dmarc').since)
  assert.deepEqual(await versions(), before)
  dns.misbehave('*', 'servfail')
  const silent = await check('since.test')
  dns.misbehave('*', null)
  assert.deepEqual(statesOf(silent), statesOf(first))
  dns.set('_dmarc.since.test', null)
  const lost = await check('since.test')
  assert.equal(of(lost, 'dmarc').state, 'not_met')
  assert.ok(
    Date.parse(of(lost, 'dmarc').since ?? '') - Date.parse(of(first, 'dmarc').since ?? '') >
      86_400_000,
  )
  assert.equal(of(lost, 'spf').since, of(first, 'spf').since)
})

test('reverse DNS: an address without a name, with one that leads elsewhere, and not ours where a relay sends', async () => {
  await addSet('reverse.test')
  const withPtr = async (names: string[] | null) => {
    dns.set('10.2.0.192.in-addr.arpa', names && { PTR: names })
    return of(await check('reverse.test'), 'reverse_dns')
  }
  assert.partialDeepStrictEqual(await withPtr(null), {
    state: 'not_met',
    reason: 'no_reverse_name',
    details: { address: '192.0.2.10' },
  })
  assert.partialDeepStrictEqual(await withPtr(['other.facteur.test']), {
    state: 'not_met',
    reason: 'reverse_name_elsewhere',
  })
  assert.equal((await withPtr(['other.facteur.test', 'mx.facteur.test'])).state, 'met')
  const relay = { ...service, settings: { ...service.settings, way: 'relayed' as const } }
  await lookUpDomain(
    { ...relay, outbound: { ...service.outbound, send: answersNothing } },
    { workspaceId: shop.id, name: 'reverse.test' },
  )
  const shown = await presentCompliance(relay, { workspaceId: shop.id, name: 'reverse.test' })
  assert.ok(shown)
  for (const requirement of ['reverse_dns', 'tls'] as const)
    assert.partialDeepStrictEqual(of(shown, requirement), {
      state: 'not_applicable',
      reason: 'relay_decides',
    })
  assert.equal(shown.enrolments.find(({ program }) => program === 'microsoft_jmrp')?.applies, false)
})

test("Gmail's rates reach the page by the next check: met, then not met", async () => {
  await addSet('rated.test')
  await check('rated.test')
  await db.count(
    sql`update domain set status = 'verified', verified_by = 'operator' where workspace_id = ${shop.id} and name = 'rated.test'`,
  )
  const poll = () =>
    pollPostmaster(
      {
        databases: service.databases,
        outbound: api.service.outbound,
        clock: service.clock,
        log: service.log,
      },
      {
        account: {
          account: readServiceAccount(JSON.stringify(google.keyFile), 'key'),
          user: null,
          endpoint: google.url,
        },
        signal: new AbortController().signal,
      },
    )
  await moveClock(api.database.url, '0 days')
  google.domains.set('rated.test', { rates: { [daysAgo(2)]: 0.0002 }, needsWork: ['DMARC_POLICY'] })
  assert.equal((await poll()).kind, 'read')
  assert.partialDeepStrictEqual(of(await check('rated.test'), 'spam_rate'), {
    state: 'met',
    details: { rate: 0.0002 },
  })
  google.domains.set('rated.test', { rates: { [daysAgo(2)]: 0.0002, [daysAgo(1)]: 0.003 } })
  await poll()
  const shown = await check('rated.test')
  assert.partialDeepStrictEqual(of(shown, 'spam_rate'), {
    state: 'not_met',
    reason: 'gmail_rate_high',
    details: { day: daysAgo(1), rate: 0.003 },
  })
  assert.deepEqual(shown.gmail?.days, [
    { day: daysAgo(1), spam_rate: 0.003 },
    { day: daysAgo(2), spam_rate: 0.0002 },
  ])
  const enrolled = shown.enrolments.find(({ program }) => program === 'google_postmaster')
  assert.ok(enrolled?.first_report_at)
  assert.deepEqual(enrolled.values, [
    { field: 'domain', value: 'rated.test' },
    { field: 'account', value: 'postmaster@acme-mail.iam.gserviceaccount.com' },
  ])
})

test('5,000 a day: counted by organisation, over all workspaces, single mails and campaigns; once a bulk sender, always one', async () => {
  await addSet('news.bulk.test')
  await addSet('bulk.test')
  const volumes = createSenderVolumes(service)
  const send = (fromDomain: string, destination: string, times: number): void => {
    for (let mail = 0; mail < times; mail++) volumes.count({ fromDomain, destination })
  }
  const attempt = (captures: boolean, outcome: Outcome) =>
    attemptBy(
      { ...createLocalCapture(service.clock), captures, handOff: () => Promise.resolve(outcome) },
      volumes,
    )
  send('news.bulk.test', 'gmail.com', 3_000)
  send('bulk.test', 'googlemail.com', 1_998)
  send('bulk.test', 'example.com', 9_000)
  await attempt(false, { kind: 'accepted', response: '250 ok' })
  await attempt(false, { kind: 'deferred', phase: 'rcpt', code: 451, response: '451 later' })
  await attempt(true, { kind: 'accepted', response: '250 ok' })
  await volumes.flush()
  await openDomain(service, {
    workspaceId: shop.id,
    name: 'else.bulk.test',
    returnPathHost: null,
    trackingHost: null,
  })
  assert.equal((await check('else.bulk.test')).organization, 'bulk.test')
  const proven = await check('bulk.test')
  assert.partialDeepStrictEqual(proven.receivers[0], {
    receiver: 'gmail',
    bulk_since: null,
    highest: { mails: 4_999 },
  })
  assert.equal(of(proven, 'volume').reason, 'below_bulk')
  send('bulk.test', 'gmail.com', 1)
  await volumes.flush()
  const reached = await check('bulk.test')
  assert.equal(reached.receivers[0]?.bulk_since, daysAgo(0))
  assert.equal(of(reached, 'volume').state, 'met')
  const unproven = await check('else.bulk.test')
  assert.partialDeepStrictEqual(
    unproven.receivers[0],
    { bulk_since: null, highest: null },
    'who has not proven it learns nothing',
  )
  assert.equal(of(unproven, 'volume').reason, 'below_bulk')
  await moveClock(api.database.url, '3 days')
  send('bulk.test', 'gmail.com', 2)
  await volumes.flush()
  const later = await check('bulk.test')
  assert.partialDeepStrictEqual(later.receivers[0], {
    bulk_since: daysAgo(0),
    highest: { day: daysAgo(0), mails: 5_000 },
  })
  dns.set('_dmarc.bulk.test', null)
  const broken = await check('bulk.test')
  assert.partialDeepStrictEqual(of(broken, 'volume'), {
    state: 'not_met',
    reason: 'bulk_not_met',
    details: { missing: 'dmarc' },
  })
  await moveClock(api.database.url, '0 days')
})

test('the first report of each programme: complaints by mail that our signature proves, and no others', async () => {
  await addSet('reported.test')
  await check('reported.test')
  const report = (reporter: string, verified: number, ago: string) =>
    api.run(
      `insert into complaint_day (workspace_id, domain, day, reporter, verified, unverified, first_at, last_at) values (
        ${shop.id}, 'reported.test', date_trunc('day', facteur_now() - interval '${ago}', 'UTC'), '${reporter}', ${verified}, 3,
        facteur_now() - interval '${ago}', facteur_now())`,
    )
  await report('yahoo.com', 1, '3 days')
  await report('yahoo.com', 2, '1 day')
  await report('hotmail.com', 0, '1 day')
  const { enrolments } = await check('reported.test')
  const firstOf = (expected: string) =>
    enrolments.find(({ program }) => program === expected)?.first_report_at ?? null
  const age = Date.now() - Date.parse(firstOf('yahoo_cfl') ?? '')
  assert.ok(age > 2.9 * 86_400_000 && age < 3.1 * 86_400_000)
  assert.equal(firstOf('microsoft_jmrp'), null, 'anybody can write to the address')
  const yahoo = enrolments.find(({ program }) => program === 'yahoo_cfl')
  assert.deepEqual(
    yahoo?.values.map(({ field }) => field),
    ['domain', 'selector', 'address'],
  )
  assert.equal(yahoo.values.at(-1)?.value, 'fbl@bounces.facteur.test')
  await report('outlook.com', 1, '1 hour')
  const later = await check('reported.test')
  assert.ok(later.enrolments.find(({ program }) => program === 'microsoft_jmrp')?.first_report_at)
})

test('organisations by the public suffix list, and receivers by the names of their mailboxes', async () => {
  assert.equal(await organizationOf('a.b.example.co.uk'), 'example.co.uk')
  assert.equal(await organizationOf('shop.github.io'), 'shop.github.io', 'strangers to each other')
  assert.equal(await organizationOf('co.uk'), 'co.uk')
  const cases: [domain: string, receiver: string | null][] = [
    ...([
      ['gmail.com', 'gmail'],
      ['yahoo.co.uk', 'yahoo'],
      ['yahoo.fr', 'yahoo'],
      ['aol.com', 'yahoo'],
    ] as [string, string][]),
    ...([
      ['hotmail.fr', 'microsoft'],
      ['live.com', 'microsoft'],
      ['outlook.com', 'microsoft'],
      ['laposte.net', 'laposte'],
    ] as [string, string][]),
    ...([
      ['live.example.org', null],
      ['notgmail.com', null],
      ['yahoo.evil.example', null],
    ] as [string, null][]),
  ]
  for (const [domain, receiver] of cases) assert.equal(receiverOf(domain), receiver, domain)
})
