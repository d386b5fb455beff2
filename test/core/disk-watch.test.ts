/**
 * The disk under the database: the watch notices when it is nearly full, and when it has space
 * again.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock, type Clock } from '../../src/ground/clock.ts'
import { ApiError } from '../../src/contract/errors.ts'
import { watchDisk } from '../../src/core/disk-watch.ts'
import { openIntake } from '../../src/core/intake.ts'
import { until } from '../support/until.ts'

/** A clock whose sleeps end when the test says so. */
function steppedClock(): Clock & { step(): void } {
  let wake = (): void => undefined
  return {
    ...systemClock,
    sleep: (_ms, signal) =>
      new Promise((resolve, reject) => {
        wake = resolve
        signal?.addEventListener('abort', () => reject(new Error('stopped')), { once: true })
      }),
    step: () => wake(),
  }
}

const words: string[] = []
const say = (_fields: object, message: string): void => void words.push(message)
const log = { debug: say, info: say, warn: say, error: say }

test('too little space refuses intake with both numbers; new space reopens it; each is logged once', async () => {
  const clock = steppedClock()
  let free = 900
  let polled = Promise.withResolvers<void>()
  const freeBytes = (): Promise<number> => {
    setImmediate(() => polled.resolve())
    return Promise.resolve(free)
  }
  const query = async (bytes: number): Promise<void> => {
    free = bytes
    polled = Promise.withResolvers()
    clock.step()
    await polled.promise
  }
  const intake = openIntake()
  const disk = await watchDisk(
    { clock, log },
    { folder: '/data', diskFreeMin: 500, intake, freeBytes },
  )
  assert.equal(intake.disk === null, true)
  await query(499)
  const error = intake.disk?.()
  assert.ok(error instanceof ApiError)
  assert.equal(error.code, 'internal_error')
  assert.deepEqual(error.details, { reason: 'disk_full', free_bytes: 499, needed_bytes: 500 })
  assert.ok(error.retryAfter !== undefined && error.retryAfter > 0)
  await query(400)
  await query(500)
  assert.equal(intake.disk === null, true)
  assert.equal(disk.freeBytes(), 500)
  disk.stop()
  assert.deepEqual(words, [
    'The disk is nearly full: nothing new is accepted',
    'The disk has room again: mail is accepted',
  ])
})

test('a disk that is full at the start is noticed before the first call', async () => {
  const intake = openIntake()
  const disk = await watchDisk(
    { clock: systemClock, log },
    { folder: '/data', diskFreeMin: 500, intake, freeBytes: () => Promise.resolve(1) },
  )
  assert.ok(intake.disk?.() instanceof ApiError)
  disk.stop()
})

test('a disk whose state cannot be read stops nothing', async () => {
  const intake = openIntake()
  const disk = await watchDisk(
    { clock: systemClock, log },
    { folder: '/no/such/folder', diskFreeMin: 500, intake },
  )
  assert.equal(intake.disk === null, true)
  assert.equal(disk.freeBytes(), null)
  disk.stop()
})

test('0 is not to look', async () => {
  const freeBytes = (): Promise<number> => assert.fail('it was looked at')
  const intake = openIntake()
  await watchDisk(
    { clock: systemClock, log },
    { folder: '/data', diskFreeMin: 0, intake, freeBytes },
  )
  assert.equal(intake.disk === null, true)
})

test('the real disk reports its free bytes', async () => {
  const intake = openIntake()
  const disk = await watchDisk({ clock: systemClock, log }, { folder: '/', diskFreeMin: 1, intake })
  assert.ok((disk.freeBytes() ?? 0) > 0)
  disk.stop()
})

test('the database has moved to another folder: its disk is watched from then on', async () => {
  const freeBytes = (path: string): Promise<number> => Promise.resolve(path === '/there' ? 9 : 900)
  const intake = openIntake()
  const disk = await watchDisk(
    { clock: systemClock, log },
    { folder: '/here', diskFreeMin: 500, intake, freeBytes },
  )
  disk.watchFolder('/there')
  await until(() => disk.freeBytes() === 9)
  assert.ok(intake.disk?.() instanceof ApiError)
  disk.stop()
})
