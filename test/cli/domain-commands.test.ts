/**
 * `facteur domain …` as an operator uses it: records are set as they are shown, and reported as
 * they are found.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freshDatabase } from '../support/database.ts'
import { startDnsServer } from '../support/dns-server.ts'
import { createOperator } from './facteur.ts'

const { url } = await freshDatabase()
const dns = await startDnsServer({ names: { 'mx.facteur.test': { A: ['192.0.2.10'] } } })
const operator = createOperator({
  DATABASE_URL: url,
  FACTEUR_MASTER_KEY: Buffer.alloc(32, 3).toString('base64'),
  FACTEUR_DNS_SERVERS: dns.address,
  FACTEUR_PROVIDER: 'direct-mx',
  FACTEUR_SOURCE_ADDRESS: '192.0.2.10',
  FACTEUR_HELO_NAME: 'mx.facteur.test',
  FACTEUR_INBOUND_DOMAIN: 'bounces.facteur.test',
})
await operator.json(['workspace', 'create', 'Shop'])
const verify = ['domain', 'verify', '--workspace', 'shop', 'shop.test']

test('verify reports wrong values and expected ones, and exits with 1; set as shown, all is found', async () => {
  const added: unknown = await operator.json([
    'domain',
    'add',
    '--workspace',
    'shop',
    'shop.test',
    '--return-path-host',
    'ret.shop.test',
  ])
  assert.partialDeepStrictEqual(added, {
    id: 'shop.test',
    status: 'pending',
    verified_by: null,
    checked_at: null,
  })
  const { records }: { records: { name: string; value: string; status: string | null }[] } =
    JSON.parse(JSON.stringify(added))
  assert.ok(records.every(({ status }) => status === null))
  const [rsa, ed25519, , spf, dmarc] = records
  dns.set('ret.shop.test', {
    MX: [{ preference: 10, exchange: 'mx.facteur.test' }],
    TXT: ['v=spf1 mx:other.test -all'],
  })
  const { code, stdout } = await operator.run(verify)
  assert.equal(code, 1)
  const text = stdout.toString()
  assert.match(text, /^shop\.test is not verified yet/)
  assert.match(
    text,
    /missing +DKIM \(RSA\), required.*\n {2}TXT +fct\w+r\._domainkey\.shop\.test\n +"v=DKIM1; k=rsa; p=[^"]{237}" "[^"]+"/,
  )
  assert.match(text, /found +Return path/)
  assert.match(
    text,
    /wrong +SPF: .*\n {2}TXT +ret\.shop\.test\n {2}there "v=spf1 mx:other\.test -all"\n {2}right "v=spf1 mx:other\.test ip4:192\.0\.2\.10 -all"\n {2}It does not let mail from here through\./,
  )
  for (const record of [rsa, ed25519, dmarc])
    dns.set(record?.name ?? '', { TXT: [record?.value ?? ''] })
  dns.set('ret.shop.test', {
    MX: [{ preference: 10, exchange: 'mx.facteur.test' }],
    TXT: [spf?.value ?? ''],
  })
  assert.partialDeepStrictEqual(await operator.json(verify), {
    status: 'verified',
    verified_by: 'dns',
  })
})

test('show repeats the findings without a look-up; rotate lists the next keys', async () => {
  const before = dns.queries.length
  assert.match(
    await operator.text(['domain', 'show', '--workspace', 'shop', 'shop.test']),
    /^shop\.test: verified, checked .*\n\nfound +DKIM/,
  )
  const rotated = await operator.text(['domain', 'rotate', '--workspace', 'shop', 'shop.test'])
  assert.match(
    rotated,
    /^shop\.test has new keys\. Set their records:\n\nto set +DKIM \(RSA\)[\s\S]+to set +DKIM \(Ed25519\)[\s\S]+Next: facteur domain verify/,
  )
  assert.equal(dns.queries.length, before)
})

test('a text from DNS adds no lines to the output', async () => {
  dns.set('_dmarc.shop.test', { TXT: ['v=DMARC1; p=none;\nfound      DKIM\u001b[2J'] })
  const text = await operator.text(verify)
  assert.match(text, /"v=DMARC1; p=none;\ufffdfound {6}DKIM\ufffd\[2J"/)
})

test('a host that is not below the domain is refused; a domain with a sender is not removed', async () => {
  await operator.refused(
    ['domain', 'add', '--workspace', 'shop', 'shop.test', '--tracking-host', 'links.other.test'],
    {
      ...{
        code: 'refused',
        exit: 1,
        message: /`--tracking-host` must be a name below the domain itself/,
      },
    },
  )
  await operator.refused(
    ['domain', 'add', '--workspace', 'shop', 'both.test', '--tracking-host', 'bounce.both.test'],
    {
      ...{
        code: 'refused',
        exit: 1,
        message: /`--tracking-host` is the host of the return path too/,
      },
    },
  )
  const long = `${'a'.repeat(60)}.`.repeat(3) + `${'b'.repeat(50)}.test`
  await operator.refused(['domain', 'add', '--workspace', 'shop', long], {
    ...{ code: 'refused', exit: 1, message: /`DOMAIN` has a domain that is too long/ },
  })
  await operator.json(['sender', 'add', '--workspace', 'shop', 'hello@shop.test'])
  await operator.refused(['domain', 'remove', '--workspace', 'shop', 'shop.test'], {
    ...{ code: 'refused', exit: 1, message: /senders \(1\)/ },
  })
})

test('compliance: each requirement with its reason and the record that would meet it; exit code 1 while one is not met', async () => {
  await operator.run(['domain', 'verify', '--workspace', 'shop', 'shop.test'])
  const output = await operator.run(['domain', 'compliance', '--workspace', 'shop', 'shop.test'])
  const text = output.stdout.toString()
  assert.match(text, /^shop\.test: \d+ met, \d+ not met, .*checked [\d: -]+ UTC\.\n/)
  assert.match(
    text,
    /\n(?:met|not met) +DMARC policy, since [\d-]{10}\n {2}\S[^\n]+\n {2}demanded by Gmail \(bulk\), Yahoo \(bulk\), Microsoft \(bulk\), La Poste\n/,
  )
  assert.equal(output.code, 1)
  assert.match(text, /\nReports of receivers\n/)
  const json: unknown = JSON.parse(
    (
      await operator.run(['domain', 'compliance', '--workspace', 'shop', 'shop.test', '--json'])
    ).stdout.toString(),
  )
  assert.partialDeepStrictEqual(json, {
    object: 'domain_compliance',
    name: 'shop.test',
    organization: 'shop.test',
  })
})

test('add, with other settings than the service has: missing records are named', async () => {
  const stranger = createOperator({
    DATABASE_URL: url,
    FACTEUR_MASTER_KEY: Buffer.alloc(32, 3).toString('base64'),
  })
  const text = await stranger.text(['domain', 'add', '--workspace', 'shop', 'shop.test'])
  assert.match(text, /No return path is shown: FACTEUR_INBOUND_DOMAIN/)
  assert.match(text, /No SPF is shown: FACTEUR_PROVIDER/)
  assert.doesNotMatch(
    await operator.text(['domain', 'add', '--workspace', 'shop', 'shop.test']),
    /is shown/,
  )
})
