/**
 * SPF as receivers work it out (RFC 7208), on a name server of our own, and beside mailauth's
 * verdict.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { spf as mailauthSpf, type DNSResolver } from 'mailauth'
import { systemClock } from '../../../src/ground/clock.ts'
import type { MxRecord } from '../../../src/ground/dns/lookup.ts'
import { createResolver } from '../../../src/ground/dns/resolver.ts'
import { evaluateSpf, type SpfVerdict } from '../../../src/ground/dns/spf.ts'
import { readSpf } from '../../../src/ground/dns/spf-record.ts'
import { startDnsServer, type ZoneRecords } from '../../support/dns-server.ts'
import { assertLinear } from '../../support/linear.ts'

const cases: { title: string; record: string; verdict: SpfVerdict; address?: string }[] = [
  { title: 'ip4', record: 'v=spf1 ip4:192.0.2.10 -all', verdict: 'pass' },
  { title: 'ip4 with bits', record: 'v=spf1 ip4:192.0.2.0/28 -all', verdict: 'pass' },
  { title: 'another ip4', record: 'v=spf1 ip4:192.0.2.11 ~all', verdict: 'softfail' },
  {
    title: 'ip6',
    record: 'v=spf1 ip6:2001:db8::/32 -all',
    verdict: 'pass',
    address: '2001:db8::5',
  },
  {
    title: 'ip4 for an IPv6 connection',
    record: 'v=spf1 ip4:192.0.2.10 ?all',
    verdict: 'neutral',
    address: '2001:db8::5',
  },
  { title: 'a', record: 'v=spf1 a:host.test -all', verdict: 'pass' },
  { title: 'a with bits', record: 'v=spf1 a:near.test/24 -all', verdict: 'pass' },
  {
    title: 'a for IPv6',
    record: 'v=spf1 a:host.test -all',
    verdict: 'pass',
    address: '2001:db8::5',
  },
  { title: 'mx', record: 'v=spf1 mx:mail.test -all', verdict: 'pass' },
  { title: 'include that passes', record: 'v=spf1 include:passes.test -all', verdict: 'pass' },
  { title: 'include that fails', record: 'v=spf1 include:fails.test ~all', verdict: 'softfail' },
  { title: 'include of nothing', record: 'v=spf1 include:nothing.test -all', verdict: 'permerror' },
  { title: 'redirect', record: 'v=spf1 redirect=passes.test', verdict: 'pass' },
  { title: 'redirect after all', record: 'v=spf1 -all redirect=passes.test', verdict: 'fail' },
  {
    title: 'exists with macros',
    record: 'v=spf1 exists:%{ir}.%{v}.%{d2}.seen.test -all',
    verdict: 'pass',
  },
  { title: 'no mechanism that matches', record: 'v=spf1 ip4:192.0.2.11', verdict: 'neutral' },
  { title: 'nothing but the version', record: 'v=spf1', verdict: 'neutral' },
  {
    title: 'ten look-ups',
    record: `v=spf1 ${'a:other.test '.repeat(9)} a:host.test -all`,
    verdict: 'pass',
  },
  {
    title: 'eleven look-ups',
    record: `v=spf1 ${'a:other.test '.repeat(10)} a:host.test -all`,
    verdict: 'permerror',
  },
  {
    title: 'includes in a circle',
    record: 'v=spf1 include:circle.test -all',
    verdict: 'permerror',
  },
  {
    title: 'three void look-ups',
    record: 'v=spf1 a:v1.test a:v2.test a:v3.test ip4:192.0.2.10',
    verdict: 'permerror',
  },
  { title: 'an unknown mechanism', record: 'v=spf1 ipv4:192.0.2.10 -all', verdict: 'permerror' },
  { title: 'an address that is none', record: 'v=spf1 ip4:192.0.2 -all', verdict: 'permerror' },
  { title: 'a server that fails', record: 'v=spf1 a:broken.test -all', verdict: 'temperror' },
  {
    title: 'more bits than an address has',
    record: 'v=spf1 a:host.test/99 -all',
    verdict: 'permerror',
  },
  {
    title: 'more bits than an IPv6 address has',
    record: 'v=spf1 mx:mail.test//129 -all',
    verdict: 'permerror',
  },
  { title: 'bits that cannot be read', record: 'v=spf1 a:host.test/x -all', verdict: 'permerror' },
  {
    title: 'unknown modifiers',
    record: 'v=spf1 x-note=hello ip4:192.0.2.10 -all',
    verdict: 'pass',
  },
]

const names: Record<string, ZoneRecords> = {
  'host.test': { A: ['192.0.2.10'], AAAA: ['2001:db8::5'] },
  'near.test': { A: ['192.0.2.77'] },
  'other.test': { A: ['192.0.2.99'] },
  'mail.test': { MX: [{ preference: 1, exchange: 'host.test' }] },
  'passes.test': { TXT: ['v=spf1 ip4:192.0.2.10 -all'] },
  'fails.test': { TXT: ['v=spf1 -all'] },
  'circle.test': { TXT: ['v=spf1 include:circle.test -all'] },
  '10.2.0.192.in-addr.case14.example.seen.test': { A: ['127.0.0.2'] },
  'two.test': { TXT: ['v=spf1 -all', 'v=spf1 +all'] },
  'other-text.test': { TXT: ['v=spf10 +all', 'hello'] },
}
for (const [index, { record }] of cases.entries()) names[`case${index}.example`] = { TXT: [record] }

const dns = await startDnsServer({ names })
dns.misbehave('broken.test', 'servfail')
const { resolve } = createResolver({
  servers: [dns.address],
  timeoutMs: 600_000,
  clock: systemClock,
})

const asNode = (record: string | MxRecord, type: string): unknown =>
  typeof record === 'object'
    ? { ...record, priority: record.preference }
    : type === 'TXT'
      ? [record]
      : record

/** As node's resolver answers: mailauth asks by this. */
const likeNode: DNSResolver = async (name, type) => {
  const lookup =
    type === 'MX'
      ? await resolve(name, type)
      : await resolve(name, type === 'TXT' || type === 'AAAA' ? type : 'A')
  // Its types do not know that node answers MX as objects.
  if (lookup.kind === 'found')
    return JSON.parse(JSON.stringify(lookup.records.map((record) => asNode(record, type))))
  throw Object.assign(new Error(lookup.kind), {
    code: { none: 'ENODATA', unknown: 'ENOTFOUND', failed: 'ESERVFAIL' }[lookup.kind],
  })
}

for (const [index, { title, verdict, address = '192.0.2.10' }] of cases.entries())
  test(`${title}: ${verdict}`, async () => {
    const domain = `case${index}.example`
    assert.equal((await evaluateSpf({ resolve }, { address, domain })).verdict, verdict)
    const reference = await mailauthSpf({
      sender: `a@${domain}`,
      ip: address,
      helo: 'x.test',
      mta: 'y.test',
      resolver: likeNode,
    })
    assert.equal(reference.status.result, verdict, 'mailauth')
  })

test('a fault of syntax anywhere in a record spoils all of it, whatever matches before it', async () => {
  for (const term of [
    ...[
      '- all',
      '-',
      'include:',
      'include',
      'include.spf.test',
      'include:passes',
      'exists:',
      'ptr:',
      'all:x',
    ],
    ...[
      'ip4:198.51.100.0/33',
      'ip4:198.51.100.0/08',
      'ip4:198.51.100.0/',
      'ip4:2001:db8::1',
      'ip4:host.test',
      'ip6:192.0.2.1',
    ],
    ...[
      'ip6:2001:db8::/129',
      'ip6:fe80::1%eth0',
      'a:',
      'a/33',
      'a//129',
      'mx:host.test/24/64',
      'a:host.test:25',
      '++all',
    ],
    ...[
      'redirect=',
      'redirect=a.test redirect=b.test',
      'exp=a.test exp=b.test',
      'v=spf1',
      'exists:%{x}.test',
      'a:%',
      'ip4:192.0.2.1,',
    ],
    ...['a:café.test', 'ip4:192.0.2.1\t-all', '"-all"', 'ipv4:192.0.2.1', 'all.'],
  ]) {
    const record = `v=spf1 ip4:192.0.2.10 ${term}`
    const evaluated = await evaluateSpf(
      { resolve },
      { address: '192.0.2.10', domain: 'host.test', record },
    )
    assert.equal(evaluated.verdict, 'permerror', record)
  }
  for (const term of [
    ...[
      'a',
      'A:Host.Test/24//64',
      'mx//64',
      'ptr',
      '?exists:%{ir}.%{v}.%{d2}.seen.test',
      'include:%{d}',
      'x-note=%{s}',
      'include=x',
      'x=',
    ],
    ...[
      'exp=why.host.test',
      'redirect=passes.test.',
      'ip6:2001:db8::/0',
      'a:_spf.xn--p1ai',
      'include:a-1.test.',
      'a:%{o}',
    ],
  ]) {
    const record = `v=spf1  ip4:192.0.2.10 ${term} `
    const evaluated = await evaluateSpf(
      { resolve },
      { address: '192.0.2.10', domain: 'host.test', record },
    )
    assert.equal(evaluated.verdict, 'pass', record)
  }
})

test('a record is read in time linear in its length', () => {
  for (const piece of ['a', '.', '%{', '%{d}', '-', '/1', '//', 'a:a-', '1.', 'x=', ' a'])
    assertLinear(piece, 20_000, (length) => readSpf(`v=spf1 include:${piece.repeat(length)}`))
})

test('no record, several records, and a text that only looks like one', async () => {
  const evaluate = async (domain: string): Promise<unknown> =>
    (await evaluateSpf({ resolve }, { address: '192.0.2.10', domain })).verdict
  assert.equal(await evaluate('absent.test'), 'none')
  assert.equal(await evaluate('other-text.test'), 'none')
  assert.equal(await evaluate('two.test'), 'permerror')
  assert.equal(await evaluate('broken.test'), 'temperror')
})

test('macros: parts, reversed, of IPv6, escaped', async () => {
  const { expandMacros } = await import('../../../src/ground/dns/spf-macros.ts')
  const values = {
    domain: 'email.example.com',
    address: '192.0.2.3',
    sender: 'strong-bad@email.example.com',
  }
  // RFC 7208 7.4.
  for (const [text, expanded] of [
    ['%{s}', 'strong-bad@email.example.com'],
    ['%{o}', 'email.example.com'],
    ['%{d4}', 'email.example.com'],
    ['%{d2}', 'example.com'],
    ['%{d1}', 'com'],
    ['%{dr}', 'com.example.email'],
    ['%{d2r}', 'example.email'],
    ['%{l}', 'strong-bad'],
    ['%{l-}', 'strong.bad'],
    ['%{lr-}', 'bad.strong'],
    ['%{l1r-}', 'strong'],
    ['%{ir}.%{v}._spf.%{d2}', '3.2.0.192.in-addr._spf.example.com'],
    ['a%%b%_c%-d', 'a%b c%20d'],
    ['%{x}', null],
    ['%', null],
  ] as const)
    assert.equal(expandMacros(text, values), expanded, text)
  assert.equal(
    expandMacros('%{ir}.%{v}', { ...values, address: '2001:db8::cb01' }),
    '1.0.b.c.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6',
  )
})
