/** Repeated work waits on a clock that the test moves. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { repeatEvery } from '../../src/ground/clock.ts'
import { createFrozenClock } from '../support/frozen-clock.ts'

const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

for (const { restsFirst, atOnce } of [
  { restsFirst: false, atOnce: 1 },
  { restsFirst: true, atOnce: 0 },
])
  test(`repeated work ${restsFirst ? 'that rests first' : 'of the usual kind'}: ${atOnce} at once, one more after each rest, none after the end`, async () => {
    const clock = createFrozenClock()
    const stopping = new AbortController()
    let worked = 0
    const ended = repeatEvery(
      clock,
      { everyMs: 1_000, stopping: stopping.signal, restsFirst },
      async () => worked++,
    )
    await nextTurn()
    assert.equal(worked, atOnce)
    clock.advance(1_000)
    await nextTurn()
    assert.equal(worked, atOnce + 1)
    stopping.abort()
    await ended
    assert.equal(worked, atOnce + 1)
  })
