/**
 * Refusals that name their cause, as the operator sees them: `facteur doctor`, `facteur domain
 * refusals` and /metrics.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMetrics } from '../../src/entrypoints/health/metrics.ts'
import { freePort } from '../support/free-port.ts'
import { at } from '../support/json.ts'
import { refusalReplies } from '../support/refusal-replies.ts'
import { handedOver, startRelayWorld, turn } from '../support/relay-world.ts'
import { createOperator } from './facteur.ts'

const world = await startRelayWorld()
const shop = await world.workspace('shop')
const operator = createOperator({
  DATABASE_URL: world.database.url,
  FACTEUR_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
  FACTEUR_PORT: String(await freePort()),
})

/** Mail to this many is refused for its DKIM, to others for SPF, and one gets it. */
const [ofDkim, ofSpf] = [12, 3]
world.answer(({ phase, line }) => {
  const n = Number(/person(\d+)@/.exec(line)?.[1] ?? 0)
  if (phase !== 'dot' || n > ofDkim + ofSpf) return undefined
  return n <= ofDkim ? refusalReplies['gmail_dkim']?.[1] : refusalReplies['gmail_spf']?.[1]
})
await handedOver(world, shop, {
  to: Array.from({ length: ofDkim + ofSpf + 1 }, (_, n) => `person${n + 1}@example.com`),
})
await turn(world, shop)

const findings = async (): Promise<unknown[]> => {
  const output = await operator.run(['doctor', '--json'])
  const checks = at(JSON.parse(output.stdout.toString()), 'checks')
  assert.ok(Array.isArray(checks))
  return checks.filter((check: unknown) => at(check, 'name') === 'refusals')
}

test('doctor: the cause that refuses often, with what mends it; a few refusals are no finding, nor are those of the day before yesterday', async () => {
  const [result, another] = await findings()
  assert.equal(at(result, 'status'), 'warning')
  assert.match(
    String(at(result, 'message')),
    /^12 times since yesterday, mail of shop: Gmail refuses mail of shop\.test without a valid DKIM signature\.$/,
  )
  assert.match(
    String(at(result, 'next')),
    /More: facteur domain refusals --workspace shop shop\.test$/,
  )
  assert.equal(another, undefined, 'three for SPF are none')
  await world.moveClock('2 days')
  assert.deepEqual(
    (await findings()).map((check) => at(check, 'status')),
    ['ok'],
  )
  await world.moveClock('0')
})

test('domain refusals: each cause with its count, the most frequent first, and what to do', async () => {
  const output = await operator.text(['domain', 'refusals', '--workspace', 'shop', shop.domain])
  const [, first = '', second = ''] = output.split('\n')
  assert.match(
    first,
    /^ *12 .* Gmail +dkim +Gmail refuses mail of shop\.test without a valid DKIM signature\./,
  )
  assert.match(
    second,
    /^ *3 .* Gmail +spf +Gmail refuses mail of shop\.test because SPF does not allow 192\.0\.2\.25 to send it\./,
  )
  assert.partialDeepStrictEqual(
    await operator.json(['domain', 'refusals', '--workspace', 'shop', shop.domain]),
    {
      data: [
        { cause: 'gmail_dkim', count: 12 },
        { cause: 'gmail_spf', count: 3 },
      ],
    },
  )
})

test('/metrics: refusals of today by what they ask of the sender', async () => {
  const metrics = await createMetrics(world.service, {
    freeBytes: () => null,
    roomBytes: () => null,
  }).text()
  assert.match(metrics, /^facteur_today_refusals\{requirement="dkim"\} 12$/m)
  assert.match(metrics, /^facteur_today_refusals\{requirement="spf"\} 3$/m)
})
