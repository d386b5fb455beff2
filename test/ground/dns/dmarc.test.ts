/**
 * DMARC by RFC 9989: which record counts, what it asks for, and which names speak for a From
 * domain.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findDmarc, isAligned } from '../../../src/ground/dns/dmarc.ts'
import { createResolver } from '../../../src/ground/dns/resolver.ts'
import { startDnsServer, type ZoneRecords } from '../../support/dns-server.ts'

const records: Record<string, string[]> = {
  'example.com': ['v=DMARC1; p=reject; sp=quarantine; np=none'],
  'mail.example.com': ['v=DMARC1; p=none; psd=n'],
  'plain.com': ['v=DMARC1;p=quarantine;adkim=s;aspf=s'],
  'deep.plain.com': ['v=DMARC1; p=none'],
  bank: ['v=DMARC1; p=reject; psd=y'],
  'two.com': ['v=DMARC1; p=none', 'v=DMARC1; p=reject'],
  'beside.com': ['hello', 'v=DMARC10; p=reject', 'v=DMARC1; p=none'],
  'nonsense.com': ['v=DMARC1; p=maybe'],
  'reports.com': ['v=DMARC1; p=maybe; rua=mailto:d@reports.com'],
  'only-sp.com': ['v=DMARC1; p=none; sp=perhaps'],
  'late.com': ['p=reject; v=DMARC1'],
}
const names: Record<string, ZoneRecords> = {
  'there.example.com': { A: ['192.0.2.1'] },
  'shop.bank': { A: ['192.0.2.1'] },
}
for (const [name, TXT] of Object.entries(records)) names[`_dmarc.${name}`] = { TXT }
const dns = await startDnsServer({ names })
dns.misbehave('_dmarc.broken.com', 'servfail')
const ask = createResolver({
  servers: [dns.address],
  timeoutMs: 600_000,
  clock: { monotonicMs: () => 0 },
})

const observed = async (domain: string): Promise<unknown> => {
  const dmarc = await findDmarc(ask, domain)
  return dmarc.kind === 'found' ? [dmarc.at, dmarc.policy, dmarc.organizational] : dmarc.kind
}

test('the domain’s own record, for any record above', async () => {
  assert.deepEqual(await observed('example.com'), ['example.com', 'reject', 'example.com'])
  assert.deepEqual(await observed('deep.plain.com'), ['deep.plain.com', 'none', 'plain.com'])
})

test('psd=n ends the tree walk: the domain is its own Organizational Domain', async () => {
  assert.deepEqual(await observed('mail.example.com'), [
    'mail.example.com',
    'none',
    'mail.example.com',
  ])
})

test('of a domain above: sp for a subdomain that is there, np for one that is not', async () => {
  assert.deepEqual(await observed('there.example.com'), [
    'example.com',
    'quarantine',
    'example.com',
  ])
  assert.deepEqual(await observed('gone.example.com'), ['example.com', 'none', 'example.com'])
  assert.deepEqual(await observed('any.plain.com'), ['plain.com', 'quarantine', 'plain.com'])
})

test('psd=y above: the Organizational Domain is one label below, and the suffix’s policy counts where there is no other', async () => {
  assert.deepEqual(await observed('shop.bank'), ['bank', 'reject', 'shop.bank'])
  assert.deepEqual(await observed('a.shop.bank'), ['bank', 'reject', 'shop.bank'])
})

test('several records are none; other texts beside one do not count; the version stands first', async () => {
  assert.deepEqual(await observed('two.com'), 'broken')
  assert.deepEqual(await observed('beside.com'), ['beside.com', 'none', 'beside.com'])
  assert.deepEqual(await observed('late.com'), 'none')
  assert.deepEqual(await observed('absent.com'), 'none')
})

test('a policy that cannot be read counts as none where reports are asked for, and not at all elsewhere', async () => {
  assert.deepEqual(await observed('nonsense.com'), 'broken')
  assert.deepEqual(await observed('only-sp.com'), 'broken')
  assert.deepEqual(await observed('reports.com'), ['reports.com', 'none', 'reports.com'])
})

test('a server that fails is not a domain without a policy', async () => {
  assert.deepEqual(await findDmarc(ask, 'broken.com'), { kind: 'failed', why: 'servfail' })
})

test('eight questions at most, the long name and then its last seven labels', async () => {
  const before = dns.queries.length
  await observed('a.b.c.d.e.f.g.h.i.j.mail.example.org')
  assert.deepEqual(
    dns.queries.slice(before).map(({ name }) => name.replace('_dmarc.', '')),
    [
      'a.b.c.d.e.f.g.h.i.j.mail.example.org',
      'g.h.i.j.mail.example.org',
      'h.i.j.mail.example.org',
      'i.j.mail.example.org',
      'j.mail.example.org',
      'mail.example.org',
      'example.org',
      'org',
    ],
  )
})

test('alignment: relaxed by Organizational Domain, strict by name', async () => {
  const aligned = (
    identifier: string,
    domain: string,
    mode: 'relaxed' | 'strict',
    organizational: string,
  ): Promise<boolean | null> => isAligned(ask, { identifier, domain, mode, organizational })
  assert.equal(await aligned('bounce.example.com', 'example.com', 'relaxed', 'example.com'), true)
  assert.equal(await aligned('bounce.example.com', 'example.com', 'strict', 'example.com'), false)
  assert.equal(await aligned('example.com', 'example.com', 'strict', 'example.com'), true)
  assert.equal(
    await aligned('mail.example.com', 'example.com', 'relaxed', 'example.com'),
    false,
    'psd=n is another organisation',
  )
  assert.equal(await aligned('other.com', 'example.com', 'relaxed', 'example.com'), false)
  assert.equal(await aligned('broken.com', 'example.com', 'relaxed', 'example.com'), null)
})
