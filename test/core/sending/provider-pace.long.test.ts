/**
 * A relay under load that asks for a slower pace: what was measured is halved, once for all
 * processes, logged, shown, and over by itself.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../../../src/ground/clock.ts'
import { createProviderPace } from '../../../src/core/sending/provider-pace.ts'
import { sql } from '../../../src/database/client/sql.ts'
import { takePermits, throttledProviders } from '../../../src/db/sending/provider-rates.ts'
import { createMetrics } from '../../../src/entrypoints/health/metrics.ts'
import type { AnswerOf } from '../../../src/contract/operations.ts'
import type { Outcome } from '../../../src/providers/provider.ts'
import { onlyProvider } from '../../support/only-provider.ts'
import { operatorEntryPoints } from '../../support/operator-entry-points.ts'
import { signIn } from '../../support/sign-in.ts'
import { handedOver, ledgerRow, post, startRelayWorld } from '../../support/relay-world.ts'
import { until } from '../../support/until.ts'

interface Line {
  provider?: string
  from?: number
  to?: number
  code?: number
}

/**
 * Records the lines of the log about the pace; the tests expect other warnings of a refused mail.
 */
function listen(): {
  lines: Line[]
  log: Record<'debug' | 'info' | 'warn' | 'error', (fields: object, message: string) => void>
} {
  const lines: Line[] = []
  const hear = (fields: object, message: string): void => {
    if (message === 'The provider asks for a slower pace') lines.push(fields)
  }
  return { lines, log: { debug: hear, info: hear, warn: hear, error: hear } }
}

const world = await startRelayWorld({ entry: operatorEntryPoints() })
const workspace = await world.workspace('load')
const viewer = await signIn(world, { in: { [workspace.id]: 'viewer' } })

const throttledNow = async (): Promise<AnswerOf<'getOverview'>['body']['throttled']> => {
  const { status, body } = await viewer.ask('GET /workspaces/load/api/v1/overview')
  assert.equal(status, 200)
  return (body as AnswerOf<'getOverview'>['body']).throttled
}

const paces = (provider: string): Promise<{ pace: number }[]> =>
  world.service.db.rows<{ pace: number }>(
    sql`select per_second as pace from provider_pace where provider = ${provider}`,
  )

const untilStored = async (provider: string): Promise<number> =>
  (await until(async () => (await paces(provider))[0])).pace

test('mail that the relay accepted is measured and stored', async () => {
  const other = await startRelayWorld()
  await handedOver(other, await other.workspace('measured'))
  const measured = () =>
    other.service.db.rows<{ pace: number }>(sql`select per_second as pace from provider_pace`)
  const [stored] = await until(measured, ({ length }) => length > 0)
  assert.ok(stored && stored.pace > 0)
})

test('two 421s halve the pace that was measured of both processes; it is logged once, and in metrics and overview', async () => {
  assert.equal(await throttledNow(), null)
  const clocked = startClocked('smtp-relay')
  const two = startClocked('smtp-relay')
  await clocked.send(80, 3)
  assert.equal(await untilStored('smtp-relay'), 80)
  await two.send(60, 3)
  await two.refuse()
  await two.refuse()
  const [result] = await throttledProviders(world.service.db, 'smtp-relay')
  assert.ok(result)
  assert.partialDeepStrictEqual(result, { formerPerSecond: 140, perSecond: 70 })
  assert.deepEqual(
    [...clocked.lines, ...two.lines],
    [{ provider: 'smtp-relay', code: 421, from: 140, to: 70 }],
  )

  const metrics = await createMetrics(world.service, {
    freeBytes: () => null,
    roomBytes: () => null,
  }).text()
  assert.match(metrics, /^facteur_provider_throttled\{provider="smtp-relay"\} 1$/m)
  assert.ok(
    metrics.includes(
      `facteur_provider_pace{provider="smtp-relay",pace="lowered"} ${result.perSecond}\n`,
    ),
  )
  assert.ok(
    metrics.includes(
      `facteur_provider_pace{provider="smtp-relay",pace="former"} ${result.formerPerSecond}\n`,
    ),
  )
  assert.deepEqual(await throttledNow(), {
    since: result.since.toISOString(),
    until: result.until.toISOString(),
    per_second: result.perSecond,
  })
})

test('a minute of quiet later the former pace is there again, and nothing is shown', async () => {
  await world.moveClock('61 seconds')
  assert.equal(await takePermits(world.service.countingDb, 'smtp-relay', null, 100_000), 100_000)
  assert.equal(await throttledNow(), null)
  const metrics = await createMetrics(world.service, {
    freeBytes: () => null,
    roomBytes: () => null,
  }).text()
  assert.match(metrics, /^facteur_provider_throttled\{provider="smtp-relay"\} 0$/m)
  assert.doesNotMatch(metrics, /^facteur_provider_pace\{/m)
})

test('a refusal of one mailbox slows nothing down; mail that was refused for its rate waits', async () => {
  const other = await startRelayWorld()
  const home = await other.workspace('mailbox')
  other.answer((moment) =>
    moment.phase === 'rcpt' ? '450 4.2.2 mailbox full: too many messages' : undefined,
  )
  await handedOver(other, home)
  assert.deepEqual(await throttledProviders(other.service.db, null), [])
  other.answer((moment) => (moment.phase === 'rcpt' ? '450 4.7.1 Rate limit exceeded' : undefined))
  const id = await handedOver(other, home)
  other.answer(undefined)
  assert.equal((await throttledProviders(other.service.db, null)).length, 1)
  assert.equal((await ledgerRow(other, home, id)).state, 'pending')
  assert.equal((await post(other, home)).status, 202)
})

const mail: Outcome = { kind: 'accepted', response: '250 ok' }
const throttle: Outcome = { kind: 'deferred', phase: 'mail', code: 421, response: '421 slow down' }

/** A process whose seconds pass when the test says so. */
function startClocked(name: string) {
  const heard = listen()
  let nowMs = 0
  const wakes: (() => void)[] = []
  const sleep = (): Promise<void> => new Promise((resolve) => wakes.push(resolve))
  const clock = { ...systemClock, monotonicMs: () => nowMs, sleep }
  // The row of its rate is found by the name of the provider.
  const provider = {
    ...world.service.providers.deployment,
    name,
  } as typeof world.service.providers.deployment
  const { countingDb, makeId } = world.service
  const pace = createProviderPace({
    countingDb,
    makeId,
    clock,
    log: heard.log,
    providers: onlyProvider(provider, null),
  })
  return {
    lines: heard.lines,
    refuse: () => pace.observe(1, throttle),
    async send(mails: number, seconds: number) {
      for (let second = 0; second < seconds; second++) {
        for (let sent = 0; sent < mails; sent++) await pace.observe(1, mail)
        nowMs += 1_000
        for (const wake of wakes.splice(0)) wake()
      }
    },
  }
}

test('the measured pace is that of the usual second: a burst, a pause and seconds of long ago do not change it', async () => {
  const steady = startClocked('steady')
  await steady.send(900, 3)
  await steady.send(312, 6)
  await steady.send(0, 20)
  await steady.send(312, 6)
  await steady.send(2_000, 1)
  await steady.refuse()
  await steady.refuse()
  assert.deepEqual(steady.lines, [{ provider: 'steady', code: 421, from: 312, to: 156 }])
  assert.equal(await takePermits(world.service.countingDb, 'steady', null, 100_000), 156)
})

test('throttles before any accepted mail hold nothing back; the pace that is measured later is halved', async () => {
  const young = startClocked('young')
  for (let refusals = 0; refusals < 4; refusals++) {
    await young.refuse()
    await young.send(0, 2)
  }
  assert.partialDeepStrictEqual(await throttledProviders(world.service.db, 'young'), [
    { formerPerSecond: null },
  ])
  assert.equal(await takePermits(world.service.countingDb, 'young', null, 100_000), 100_000)
  await young.send(40, 2)
  await young.refuse()
  assert.partialDeepStrictEqual(await throttledProviders(world.service.db, 'young'), [
    { formerPerSecond: 40, perSecond: 20 },
  ])
})
