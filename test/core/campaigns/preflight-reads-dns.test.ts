/** The findings of the preflight about DKIM, SPF and DMARC, as DNS shows them now. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkAuthentication } from '../../../src/core/campaigns/preflight/check-authentication.ts'
import { openDomain } from '../../../src/core/domains/open-domain.ts'
import { lookUpDomain } from '../../../src/core/domains/look-up-domain.ts'
import type { PresentedRecord } from '../../../src/core/domains/present-domain.ts'
import { startApi } from '../../support/api.ts'
import { startDnsServer } from '../../support/dns-server.ts'
import { assertFilled } from '../../support/finding-sentences.ts'

const dns = await startDnsServer()
const api = await startApi({
  workers: false,
  dnsServers: [dns.address],
  settings: {
    bounceHost: 'mx.facteur.test',
    inboundDomain: 'bounces.facteur.test',
    spf: ['ip4:192.0.2.10'],
  },
})
const shop = await api.workspace('shop')

interface Requested {
  recipients?: number
  captures?: boolean
}

const authentication = new Set(['authentication', 'dkim', 'spf', 'dmarc'])
const result = async (name: string, requests: Requested = {}): Promise<string[]> =>
  (await allFound(name, requests)).filter((line) => authentication.has(line.split(' ')[0] ?? ''))

const allFound = async (
  name: string,
  { recipients = 10, captures = false }: Requested = {},
): Promise<string[]> => {
  const findings = await checkAuthentication(api.service, {
    workspaceId: shop.id,
    fromEmail: `hello@${name}`,
    recipients,
    captures,
  })
  findings.forEach(assertFilled)
  return findings.map(({ check, status, reason }) => `${check} ${status} ${reason}`)
}

/** Sets the records with these purposes, and has them found. */
async function addSet(
  name: string,
  purposes: PresentedRecord['purpose'][],
): Promise<PresentedRecord[]> {
  const { records } = await openDomain(api.service, {
    workspaceId: shop.id,
    name,
    returnPathHost: null,
    trackingHost: null,
  })
  const set = records.filter(({ purpose, type }) => purposes.includes(purpose) && type === 'TXT')
  for (const record of set) dns.set(record.name, { TXT: [record.value] })
  await lookUpDomain(api.service, { workspaceId: shop.id, name })
  return set
}

test('all is set: each is good', async () => {
  await addSet('good.test', ['dkim', 'spf', 'dmarc'])
  assert.deepEqual(await result('good.test'), ['dkim ok good', 'spf ok good', 'dmarc ok good'])
})

test('nothing is set: warnings, and a problem for bulk, which large receivers take by DMARC only', async () => {
  await addSet('bare.test', [])
  assert.deepEqual(await result('bare.test'), [
    'dkim warning not_signed',
    'spf warning spf_fails',
    'dmarc warning no_dmarc',
  ])
  assert.deepEqual(
    (await result('bare.test', { recipients: 5_000 })).at(-1),
    'dmarc problem no_dmarc',
  )
  // Whoever sent 5,000 in a day once is a bulk sender from then on.
  await api.run(`update domain set status = 'verified', verified_by = 'operator' where name = 'bare.test';
    insert into sender_volume (organization, receiver, day, mails, highest_day, highest_mails, bulk_since)
    values ('bare.test', 'gmail', '2026-01-02', 1, '2026-01-02', 5000, '2026-01-02')`)
  assert.deepEqual((await result('bare.test')).at(-1), 'dmarc problem no_dmarc')
})

test('a key that left DNS is a problem: every signature fails', async () => {
  const [rsa] = await addSet('lost.test', ['dkim', 'spf', 'dmarc'])
  dns.set(rsa?.name ?? '', null)
  assert.deepEqual(await result('lost.test'), [
    'dkim problem key_not_found',
    'spf ok good',
    'dmarc ok good',
  ])
})

test('DMARC without anything aligned: a problem under a policy, a warning under none; SPF of the subdomain is aligned unless strict', async () => {
  await addSet('reject.test', [])
  dns.set('_dmarc.reject.test', { TXT: ['v=DMARC1; p=reject'] })
  assert.equal((await result('reject.test')).at(-1), 'dmarc problem dmarc_fails')
  dns.set('_dmarc.reject.test', { TXT: ['v=DMARC1; p=none'] })
  assert.equal((await result('reject.test')).at(-1), 'dmarc warning dmarc_fails')
  await addSet('aligned.test', ['spf'])
  dns.set('_dmarc.aligned.test', { TXT: ['v=DMARC1; p=reject'] })
  assert.equal((await result('aligned.test')).at(-1), 'dmarc ok good')
  dns.set('_dmarc.aligned.test', { TXT: ['v=DMARC1; p=reject; aspf=s'] })
  assert.equal((await result('aligned.test')).at(-1), 'dmarc problem dmarc_fails')
})

test('the other requirements of receivers are those of the page of the domain: reports, replies, what Gmail publishes', async () => {
  await addSet('others.test', ['dkim', 'spf', 'dmarc'])
  dns.set('_dmarc.others.test', { TXT: ['v=DMARC1; p=none'] })
  const others = async () =>
    (await allFound('others.test')).filter((line) => !authentication.has(line.split(' ')[0] ?? ''))
  assert.deepEqual(await others(), [
    'spam_rate ok no_gmail_rate',
    'dmarc_reports warning no_dmarc_reports',
    'sender_domain warning no_mail_host',
  ])
  dns.set('_dmarc.others.test', {
    TXT: ['v=DMARC1; p=none; rua=mailto:dmarc@bounces.facteur.test'],
  })
  dns.set('others.test', { MX: [{ preference: 10, exchange: 'mx.facteur.test' }] })
  await api.run(
    `insert into postmaster_day (workspace_id, domain, day, spam_rate) values (${shop.id}, 'others.test', (facteur_now() at time zone 'utc')::date - 1, 0.002)`,
  )
  assert.deepEqual(await others(), [
    'spam_rate warning gmail_rate_high',
    'dmarc_reports ok good',
    'sender_domain ok good',
  ])
})

test('DNS that does not answer is said to be so, and the capture mailbox needs none', async () => {
  await addSet('quiet.test', ['dkim', 'spf', 'dmarc'])
  dns.misbehave('*', 'servfail')
  assert.deepEqual(await result('quiet.test'), [
    'dkim warning dns_unanswered',
    'spf warning dns_unanswered',
    'dmarc warning dns_unanswered',
  ])
  const before = dns.queries.length
  assert.deepEqual(await result('quiet.test', { captures: true }), [
    'authentication ok authentication_kept_here',
  ])
  assert.equal(dns.queries.length, before)
  dns.misbehave('*', null)
})
