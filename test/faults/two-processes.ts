/** Two API processes on one database: rate, idempotency and quota are exact under bursts. */
import { stopClock } from '../support/database.ts'
import { acceptedId, call, describeEnd, type CallEnd } from '../support/fault-calls.ts'
import { debited, readLedger } from '../support/fault-ledger.ts'
import { mailTo, openWorld, type Run, type World } from '../support/fault-world.ts'
import { restartPort } from '../support/fault-port.ts'
import type { Scenario } from './scenario.ts'

/** The small size has a third of the calls. */
const perMinuteOf = ({ whole }: Run): number => (whole ? 600 : 200)

export const twoProcesses: Scenario = {
  name: 'two-processes',
  promise:
    'two processes on one database: rate limit, idempotency and quota are exact under bursts',
  broken: ['rates.lock', 'send.key', 'admissions.quota'],
  async play(run) {
    const quota = run.draw.between(20, 60)
    const world = await openWorld(run, { monthlyQuota: quota, ratePerMinute: perMinuteOf(run) })
    // Bursts that take seconds happen at one moment.
    await stopAt(world, 0)
    const ask = await openTwo(world)
    return [
      ...(await playQuotaAndKey(run, { world, ask, quota })),
      ...(await playRate(run, { world, ask })),
    ]
  },
}

const startedMs = Date.now()

const stopAt = ({ url }: World, seconds: number): Promise<void> =>
  stopClock(url, new Date(startedMs + seconds * 1_000).toISOString())

/** One call to each of the two processes in turn. */
type Ask = (
  number: number,
  line: string,
  requested?: { body?: unknown; idempotencyKey?: string },
) => Promise<CallEnd>

async function openTwo(world: World): Promise<Ask> {
  // The second is ours.
  const port = await restartPort()
  await world.start({ role: 'api', port, smtpUrl: null })
  const here = await world.serve({ smtpUrl: null })
  return (number, line, requested = {}) =>
    call({
      url: world.addressOf(number % 2 === 0 ? port : here),
      apiKey: world.apiKey,
      line,
      ...requested,
    })
}

interface Two {
  world: World
  ask: Ask
}

/** Some 150 calls at most: none is refused by the rate. */
async function playQuotaAndKey(
  run: Run,
  { world, ask, quota }: Two & { quota: number },
): Promise<string[]> {
  const requested = quota + run.draw.between(10, 40)
  const body = mailTo(world, 'twin@example.test')
  // Twins are among the others, and all of them together are one.
  const [twins, others] = await Promise.all([
    Promise.all(
      Array.from({ length: 50 }, (_, at) =>
        ask(at, 'POST /api/v1/emails', { body, idempotencyKey: 'one' }),
      ),
    ),
    Promise.all(
      Array.from({ length: requested }, (_, at) =>
        ask(at, 'POST /api/v1/emails', { body: mailTo(world, `mail-${at}@example.test`) }),
      ),
    ),
  ])
  const wrong = [...twins, ...others]
    .filter((end) => typeof end === 'string' || (end.status !== 202 && end.status !== 402))
    .map((end) => `a call ended with ${describeEnd(end)}`)
  const ids = new Set([...twins, ...others].map(acceptedId).filter((id) => id !== null))
  const twinIds = new Set(twins.map(acceptedId).filter((id) => id !== null))
  if (twinIds.size > 1) wrong.push(`the twins were given ${twinIds.size} ids`)
  if (ids.size !== quota) wrong.push(`${ids.size} messages were accepted with a quota of ${quota}`)
  const used = await debited(world.db, world.workspaceId)
  if (used !== quota) wrong.push(`${used} were debited with a quota of ${quota}`)
  const rows = await readLedger(world.db, world.workspaceId)
  if (rows.length !== quota) wrong.push(`${rows.length} rows were made with a quota of ${quota}`)
  return wrong
}

/**
 * Bursts at chosen times of the database's clock, which stands still meanwhile. In any 60 s at most
 * 200 pass; exactly as many as the minute before left, where no earlier burst lies at its very edge
 * (slots are a second long, so a refusal may be up to a second early).
 */
async function playRate(run: Run, { world, ask }: Two): Promise<string[]> {
  const wrong: string[] = []
  const passed: { at: number; calls: number }[] = []
  // A fresh minute, and 240 at once over both.
  let at = 120
  for (const requests of [240, ...burstSizes(run)]) {
    await stopAt(world, at)
    const ends = await Promise.all(
      Array.from({ length: requests }, (_, number) => ask(number, 'GET /api/v1/me')),
    )
    const calls = ends.filter((end) => typeof end !== 'string' && end.status === 200).length
    const odd = ends.find((end) => typeof end === 'string' || ![200, 429].includes(end.status))
    if (odd !== undefined) wrong.push(`a call ended with ${describeEnd(odd)}`)
    const before = passed
      .filter((burst) => burst.at > at - 60)
      .reduce((sum, burst) => sum + burst.calls, 0)
    const expected = Math.min(requests, perMinuteOf(run) - before)
    if (calls !== expected)
      wrong.push(
        `at ${at} s ${calls} of ${requests} passed; ${before} had passed in the minute before, so ${expected} should`,
      )
    passed.push({ at, calls })
    // No sum of these is near a minute.
    at += run.draw.pick([25, 45, 75])
  }
  return wrong
}

const burstSizes = ({ whole, draw }: Run): number[] =>
  Array.from({ length: whole ? 12 : 4 }, () =>
    whole ? draw.between(100, 500) : draw.between(30, 160),
  )
