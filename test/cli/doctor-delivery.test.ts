/**
 * `facteur doctor --delivery`: with everything in its place, a bounce goes out and comes back; each
 * thing that is not is named with the next step.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freshDatabase } from '../support/database.ts'
import { startDnsServer } from '../support/dns-server.ts'
import { freePort } from '../support/free-port.ts'
import { at } from '../support/json.ts'
import { startProgram } from '../support/service.ts'
import { createOperator } from './facteur.ts'

const { url } = await freshDatabase()
const inboundPort = String(await freePort())
const dns = await startDnsServer({
  names: {
    'bounces.facteur.test': { MX: [{ preference: 10, exchange: 'mx.facteur.test' }] },
    'mx.facteur.test': { A: ['127.0.0.1'] },
    '1.0.0.127.in-addr.arpa': { PTR: ['mx.facteur.test'] },
    'peer.test': { MX: [{ preference: 10, exchange: 'mx.facteur.test' }] },
  },
})
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

async function examine(
  env: Record<string, string> = {},
): Promise<(name: string) => { status: unknown; message: string; next: string }> {
  const output = await createOperator({ ...settings, ...env }).run([
    'doctor',
    '--delivery',
    '--peer',
    'peer.test',
    '--json',
  ])
  assert.equal(output.stderr, '')
  const report: unknown = JSON.parse(output.stdout.toString())
  const checks = at(report, 'checks')
  assert.ok(Array.isArray(checks))
  assert.equal(at(report, 'status') === 'problem' ? 1 : 0, output.code)
  return (name) => {
    const check: unknown = checks.find((item) => at(item, 'name') === name)
    return {
      status: at(check, 'status'),
      message: String(at(check, 'message')),
      next: String(at(check, 'next')),
    }
  }
}

test('nothing listens: the port is a problem with its next step, the bounce is not tried', async () => {
  const check = await examine()
  const within = check(`port ${inboundPort} in`)
  assert.equal(within.status, 'problem')
  assert.match(
    within.message,
    /bounces\.facteur\.test leads to mx\.facteur\.test \(127\.0\.0\.1\), which does not answer/,
  )
  assert.match(within.next, /inbound role/)
  assert.equal(check(`port ${inboundPort} out`).status, 'problem')
  assert.match(check(`port ${inboundPort} out`).next, /open port 25, or send by a relay/)
  assert.match(check('bounce').message, /not tried/)
})

test('the inbound role runs: hosts answer, names lead back, a bounce is sent and received; a domain without its records is named', async (t) => {
  const service = await startProgram(t, { env: settings, args: ['start', '--role', 'inbound'] })
  await service.saying('ready')
  const operator = createOperator(settings)
  await operator.json(['workspace', 'create', 'Shop'])
  await operator.json(['domain', 'add', '--workspace', 'shop', 'shop.test'])
  const check = await examine()
  assert.equal(check(`port ${inboundPort} in`).status, 'ok')
  assert.equal(check(`port ${inboundPort} out`).status, 'ok')
  assert.deepEqual(check('name of 127.0.0.1'), {
    status: 'ok',
    message: 'mx.facteur.test, which leads back to it',
    next: 'null',
  })
  assert.equal(check('bounce').status, 'ok', check('bounce').message)
  assert.match(check('bounce').message, /received and stored [\d.]+ s later/)
  assert.match(
    check('domain shop.test').message,
    /^pending; TXT fct\w+r\._domainkey\.shop\.test missing, /,
  )
  assert.equal(check('domain shop.test').next, 'facteur domain verify --workspace shop shop.test')
  assert.match(check('clock outside').message, /not compared/)
  // Where to enrol for reports is listed of domains that are verified.
  assert.match(check('Yahoo Complaint Feedback Loop for shop.test').message, /^undefined$/)
  await operator.json(['domain', 'verify', '--workspace', 'shop', 'shop.test', '--force'])
  const verified = await examine()
  const yahoo = verified('Yahoo Complaint Feedback Loop for shop.test')
  assert.equal(yahoo.status, 'ok')
  assert.match(
    yahoo.message,
    /^Yahoo Complaint Feedback Loop: no report yet; https:\/\/senders\.yahooinc\.com\/\S+ asks for domain shop\.test, /,
  )
  assert.match(
    yahoo.message,
    /selector unknown \(its DKIM record is not found yet\), address fbl@bounces\.facteur\.test$/,
  )
  assert.match(
    verified('Microsoft JMRP').message,
    /asks for addresses 127\.0\.0\.1, address fbl@bounces\.facteur\.test$/,
  )
  assert.match(
    verified('Google Postmaster Tools for shop.test').message,
    /asks for domain shop\.test, account unknown \(set FACTEUR_GOOGLE_POSTMASTER_KEY\)$/,
  )
  const renamed = await examine({ FACTEUR_HELO_NAME: 'other.facteur.test' })
  assert.equal(renamed('name of 127.0.0.1').status, 'warning')
})

test('no domain for bounces: a warning that says what to set', async () => {
  const check = await examine({ FACTEUR_INBOUND_DOMAIN: '', FACTEUR_PROVIDER: 'local-capture' })
  assert.equal(check(`port ${inboundPort} in`).status, 'warning')
  assert.match(check(`port ${inboundPort} in`).next, /FACTEUR_INBOUND_DOMAIN/)
  assert.match(check(`port ${inboundPort} out`).message, /not needed/)
})
