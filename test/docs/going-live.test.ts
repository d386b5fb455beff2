/**
 * The commands of `docs/going-live.md`, line by line, against a real service, a DNS server that has
 * the records, and a mail host.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freshDatabase } from '../support/database.ts'
import { startDnsServer, type ZoneRecords } from '../support/dns-server.ts'
import { freePort } from '../support/free-port.ts'
import { at } from '../support/json.ts'
import { blocksOf } from '../support/page-blocks.ts'
import { startProgram } from '../support/service.ts'
import { createOperator } from '../cli/facteur.ts'

const linesOf = (block: string): string[] => block.trim().split('\n')
/** As a shell divides a line into words, for the quotes of the page. */
const argumentsOf = (line: string): string[] =>
  [...line.replace('npm run -s facteur -- ', '').matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? '',
  )

test('domain, records, verification, sender, key, delivery check and warm-up: every line does what the page says', async (t) => {
  const [add = '', verify = '', check = '', warmUp = ''] = blocksOf('docs/going-live.md', 'sh')
  const { url } = await freshDatabase()
  const inboundPort = String(await freePort())
  const names = {
    'bounces.facteur.test': { MX: [{ preference: 10, exchange: 'mx.facteur.test' }] },
    'mx.facteur.test': { A: ['127.0.0.1'] },
    '1.0.0.127.in-addr.arpa': { PTR: ['mx.facteur.test'] },
    'gmail.com': { MX: [{ preference: 10, exchange: 'mx.facteur.test' }] },
  }
  const dns = await startDnsServer({ names })
  const settings = {
    DATABASE_URL: url,
    FACTEUR_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    FACTEUR_PORT: String(await freePort()),
    FACTEUR_DNS_SERVERS: dns.address,
    FACTEUR_PROVIDER: 'direct-mx',
    FACTEUR_SOURCE_ADDRESS: '127.0.0.1',
    FACTEUR_HELO_NAME: 'mx.facteur.test',
    FACTEUR_INBOUND_DOMAIN: 'bounces.facteur.test',
    FACTEUR_INBOUND_PORT: inboundPort,
    FACTEUR_INBOUND_HOST: '127.0.0.1',
    FACTEUR_MX_PORT: inboundPort,
  }
  const service = await startProgram(t, { env: settings })
  await service.saying('"msg":"ready"')
  const operator = createOperator(settings)

  const [createWorkspace = '', addDomain = ''] = linesOf(add)
  await operator.json(argumentsOf(createWorkspace))
  const records = at(await operator.json(argumentsOf(addDomain)), 'records')
  assert.ok(Array.isArray(records) && records.length >= 4, JSON.stringify(records))
  const published = new Map<string, ZoneRecords>()
  for (const record of records) publish(published, record)
  for (const [name, withheld] of published) dns.set(name, withheld)

  const [verifyDomain = '', ...rest] = linesOf(verify)
  const verified = await operator.json(argumentsOf(verifyDomain))
  assert.equal(at(verified, 'status'), 'verified', JSON.stringify(verified))
  for (const line of rest) await operator.json(argumentsOf(line))

  const report = await operator.run([...argumentsOf(check), '--json'])
  const checks = at(JSON.parse(report.stdout.toString()), 'checks')
  assert.ok(Array.isArray(checks))
  const problems = checks.filter((item) => at(item, 'status') === 'problem')
  assert.deepEqual(problems, [])
  const bounce = checks.find((item) => at(item, 'name') === 'bounce')
  assert.match(String(at(bounce, 'message')), /received and stored/)

  for (const line of linesOf(warmUp)) await operator.json(argumentsOf(line))
})

/** Puts a record where its owner puts it at a DNS provider. */
function publish(published: Map<string, ZoneRecords>, record: unknown): void {
  const [type, name, value] = ['type', 'name', 'value'].map((key) => String(at(record, key)))
  const withheld = published.get(name ?? '') ?? {}
  const [preference = '', exchange = ''] = (value ?? '').split(' ')
  if (type === 'MX') withheld.MX = [{ preference: Number(preference), exchange }]
  else if (type === 'TXT') withheld.TXT = [value ?? '']
  else withheld.CNAME = value ?? ''
  published.set(name ?? '', withheld)
}
