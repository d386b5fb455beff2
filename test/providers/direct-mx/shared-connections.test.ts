/**
 * A limit of connections to a destination holds over all processes; a crash frees a process's part.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../../../src/ground/clock.ts'
import { createDestinationMemory } from '../../../src/providers/direct-mx/destination-memory.ts'
import { shareOf } from '../../../src/providers/direct-mx/process-share.ts'
import { freshDatabase, moveClock } from '../../support/database.ts'
import { createFrozenClock } from '../../support/frozen-clock.ts'
import { send, startMxWorld } from '../../support/mx-world.ts'
import { until } from '../../support/until.ts'

const { url, connection: countingDb } = await freshDatabase()
const log = { warn: () => undefined }
const clock = createFrozenClock()
const start = (own = clock) =>
  createDestinationMemory({ countingDb, clock: own, log }).watch(() => undefined)

test('the parts of all processes are the limit, for any numbers of both', () => {
  for (const limit of [1, 2, 3, 5, 10, 20])
    for (const count of [1, 2, 3, 4, 7, 30])
      for (const turn of [0, 1, 12_345]) {
        const parts = Array.from({ length: count }, (_, index) =>
          shareOf(limit, { count, index }, turn),
        )
        assert.equal(
          parts.reduce((sum, part) => sum + part, 0),
          limit,
        )
        assert.ok(Math.max(...parts) - Math.min(...parts) <= 1)
      }
  assert.equal(shareOf(20, null, 0), 0)
})

test('a process alone begins at once; one that joins waits until the others know; one that stops, or crashes, frees its part', async () => {
  const first = start()
  await until(() => first.share())
  assert.partialDeepStrictEqual(first.share(), { count: 1, index: 0 })
  const crashing = createFrozenClock()
  const second = start(crashing)
  await until(() => crashing.sleepersMs().length === 1)
  assert.equal(second.share(), null, 'the first one may still have all connections')
  for (let query = 0; query < 4; query++) {
    for (const each of [clock, crashing]) each.advance(2_000)
    await until(() => clock.sleepersMs().length === 1 && crashing.sleepersMs().length === 1)
  }
  const indices = await until(
    () => [first.share(), second.share()],
    (shares) => shares.every((share) => share?.count === 2),
  )
  assert.deepEqual(indices.map((share) => share?.index).toSorted(), [0, 1])
  const third = start()
  await until(() => clock.sleepersMs().length === 2)
  clock.advance(2_000)
  await until(() => first.share()?.count === 3)
  third.stop()
  const poll = async (): Promise<number | undefined> => {
    clock.advance(2_000)
    return first.share()?.count
  }
  await until(poll, (count) => count === 2)
  // The second one crashes: its clock stands still, and it says nothing any more.
  await moveClock(url, '1 minute')
  await until(poll, (count) => count === 1)
})

test('a limit of three: two processes have three connections together, never more', async () => {
  const world = await startMxWorld()
  const open = new Set<number>()
  let most = 0
  await world.host('127.0.0.1', {
    script: ({ phase, connection }) => {
      if (phase === 'greet') open.add(connection)
      most = Math.max(most, open.size)
      return phase === 'dot' ? { say: '250 ok', afterMs: 10 } : undefined
    },
  })
  world.domain('shared.test', ['127.0.0.1'])
  const providers = [0, 1].map((index) =>
    world.provider({
      ...{ connectionsEach: 3, clock: systemClock },
      memory: {
        take: ({ count: expected }) => Promise.resolve(expected),
        keepThrottle: () => undefined,
        keepCircuit: () => undefined,
        watch: () => ({ share: () => ({ count: 2, index }), stop: () => undefined }),
      },
    }),
  )
  for (const provider of providers) await send(provider, 'first@shared.test')
  const outcomes = await Promise.all(
    providers.flatMap((provider) =>
      Array.from({ length: 40 }, (_, n) => send(provider, `${n}@shared.test`)),
    ),
  )
  assert.ok(outcomes.filter(({ kind }) => kind === 'accepted').length > 20)
  assert.ok(most <= 3, String(most))
})
