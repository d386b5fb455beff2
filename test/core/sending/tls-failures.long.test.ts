/**
 * Encryption that fails with recipients' hosts is counted: in the metrics, and in the line of
 * `facteur doctor`.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../../../src/ground/clock.ts'
import type { DirectMxOptions } from '../../../src/providers/direct-mx/create-direct-mx.ts'
import { createCountTls, type CountTls } from '../../../src/providers/direct-mx/tls-results.ts'
import { createOperator } from '../../cli/facteur.ts'
import { startApi } from '../../support/api.ts'
import { selfSigned } from '../../support/certificates.ts'
import { at } from '../../support/json.ts'
import { startMxWorld } from '../../support/mx-world.ts'
import { operatorEntryPoints } from '../../support/operator-entry-points.ts'
import { accepted, read } from '../../support/relay-world.ts'
import { until } from '../../support/until.ts'

const mx = await startMxWorld({ validates: true })
/** One domain has a policy of MTA-STS; mta-sts.test.ts has how policies are found. */
const openPolicies: DirectMxOptions['openPolicies'] = () => ({
  of: (domain) =>
    Promise.resolve(domain === 'sts.test' ? { mode: 'enforce', mx: ['mx1.sts.test'] } : null),
})
let count: CountTls = () => undefined
const world = await startApi({
  provider: mx.provider({ countTls: (observed) => count(observed), openPolicies }),
  entry: operatorEntryPoints(),
})
const { countingDb } = world.service
count = createCountTls({ countingDb, clock: systemClock, log: { warn: () => undefined } })
const workspace = await world.workspace('shop')
const certificate = selfSigned(['unrelated.test'])
await mx.host('127.0.0.1', { offers: ['PIPELINING', 'STARTTLS'], certificate })
await mx.host('127.0.0.2', { offers: ['PIPELINING'] })
/** Breaks the handshake off. */
await mx.host('127.0.0.3', {
  offers: ['PIPELINING', 'STARTTLS'],
  script: ({ phase }) => (phase === 'starttls' ? 'drop' : undefined),
})
const another = { usage: 3, selector: 1, matchingType: 1, certificate: Buffer.alloc(32, 7) }
for (const [domain, address, TLSA] of [
  ['other-key.test', '127.0.0.1', [another]],
  ['clear.test', '127.0.0.2', [another]],
  ['broken.test', '127.0.0.3', []],
  ['sts.test', '127.0.0.1', []],
] as const) {
  mx.domain(domain, [address])
  mx.dns.set(`_${mx.port}._tcp.mx1.${domain}`, { TLSA: [...TLSA] })
}

async function measure(policy: string, result: string): Promise<number> {
  const text = await (await fetch(`${world.baseUrl}/metrics`)).text()
  const line = `facteur_tls_sessions_today{policy="${policy}",result="${result}"} `
  return Number(
    text
      .split('\n')
      .find((entry) => entry.startsWith(line))
      ?.slice(line.length) ?? 0,
  )
}

/** What `facteur doctor` says of encryption. */
async function checkOf(): Promise<unknown> {
  const settings = {
    DATABASE_URL: world.database.url,
    FACTEUR_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    FACTEUR_PROVIDER: 'direct-mx',
  }
  const { stdout } = await createOperator(settings).run(['doctor', '--json'])
  const checks = at(JSON.parse(stdout.toString()), 'checks')
  assert.ok(Array.isArray(checks))
  return checks.find((check) => at(check, 'name') === 'tls')
}

test('nothing failed: no line of the metrics, and doctor is content', async () => {
  assert.equal(await measure('tlsa', 'validation-failure'), 0)
  assert.partialDeepStrictEqual(await checkOf(), {
    status: 'ok',
    message: 'no session with a mail host failed in its encryption since yesterday',
  })
})

test('DANE that does not match, no STARTTLS where DANE asks for it, MTA-STS that is not met, a handshake that breaks off: counted, each by its name', async () => {
  const ids = await Promise.all(
    ['you@other-key.test', 'you@clear.test', 'you@broken.test', 'you@sts.test'].map((to) =>
      accepted(world, workspace, { to }),
    ),
  )
  await until(
    async () =>
      (await measure('tlsa', 'validation-failure')) >= 1 &&
      (await measure('tlsa', 'starttls-not-supported')) >= 1,
  )
  await until(async () => (await measure('no-policy-found', 'validation-failure')) >= 1)
  await until(async () => (await measure('sts', 'certificate-not-trusted')) >= 1)
  // Those with a policy wait; the other mail went in clear.
  const statuses = await Promise.all(
    ids.map(async (id) => at(await read(world, workspace, id), 'status')),
  )
  assert.deepEqual(statuses, ['queued', 'queued', 'sent', 'queued'])
  const check = await checkOf()
  assert.equal(at(check, 'status'), 'warning')
  const message = String(at(check, 'message'))
  assert.match(message, /other-key\.test: validation-failure in 1 session \(DANE\)/)
  assert.match(message, /clear\.test: starttls-not-supported in 1 session \(DANE\)/)
  assert.match(message, /sts\.test: certificate-not-trusted in 1 session \(MTA-STS\)/)
  assert.match(message, /broken\.test: validation-failure in 1 session \(no policy\)/)
  assert.match(
    String(at(check, 'next')),
    /^Mail waits where MTA-STS is enforced or DANE names a certificate/,
  )
})

test('two days later, nothing of it is said', async () => {
  await world.moveClock('2 days')
  assert.partialDeepStrictEqual(await checkOf(), { status: 'ok' })
})
