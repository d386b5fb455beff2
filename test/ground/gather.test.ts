/**
 * Shared statements: each call has its own answer, waiting calls go together, and many callers take
 * turns in halves.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { gather, gatherByWorkspace, type GatherOptions } from '../../src/ground/gather.ts'

/** Work that ends when the test says so, with its calls and answers in order. */
function listener(
  options: Omit<GatherOptions<number, number>, 'work' | 'groupMax'> & { groupMax?: number } = {},
) {
  const log: string[] = []
  const ends: (() => void)[] = []
  const ask = gather<number, number>({
    groupMax: 100,
    ...options,
    work: async (items) => {
      log.push(`begin ${items.join(' ')}`)
      await new Promise<void>((resolve) => ends.push(resolve))
      return items.map((item) => item * 10)
    },
  })
  const call = async (item: number): Promise<number> => {
    const result = await ask(item)
    log.push(`answer ${item}`)
    return result
  }
  const end = async (): Promise<void> => {
    ends.shift()?.()
    await settled()
  }
  return { log, tell: call, end }
}

const settled = async (): Promise<void> => {
  for (let times = 0; times < 10; times++) await turn()
}

const count = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index)

test('calls that come while work is under way run as one group, and each has its own result', async () => {
  const { log, tell: ask, end } = listener()
  const results = [ask(1)]
  await settled()
  results.push(ask(2), ask(3))
  await settled()
  assert.deepEqual(log, ['begin 1'])
  await end()
  await end()
  assert.deepEqual(await Promise.all(results), [10, 20, 30])
  assert.deepEqual(log, ['begin 1', 'answer 1', 'begin 2 3', 'answer 2', 'answer 3'])
})

test('a group holds so many, and the rest is the next', async () => {
  const { log, tell: ask, end } = listener({ groupMax: 2 })
  const results = Promise.all(count(1, 5).map(ask))
  for (let times = 0; times < 3; times++) await end()
  assert.deepEqual(await results, [10, 20, 30, 40, 50])
  assert.deepEqual(
    log.filter((line) => line.startsWith('begin')),
    ['begin 1 2', 'begin 3 4', 'begin 5'],
  )
})

test('as many groups as are allowed are under way at once', async () => {
  const { log, tell: ask, end } = listener({ groupMax: 1, atOnceMax: 2 })
  const results = Promise.all(count(1, 3).map(ask))
  await settled()
  assert.deepEqual(log, ['begin 1', 'begin 2'])
  for (let times = 0; times < 3; times++) await end()
  await results
})

test('a second group begins beside the first when enough wait', async () => {
  const { log, tell: ask, end } = listener({ atOnceMax: 2, besideMin: 2 })
  const results = [ask(1)]
  await settled()
  results.push(ask(2))
  await settled()
  assert.deepEqual(log, ['begin 1'])
  results.push(ask(3))
  await settled()
  assert.deepEqual(log, ['begin 1', 'begin 2 3'])
  await end()
  await end()
  await Promise.all(results)
})

test('many callers take turns in halves: the next half is under way before those of the first are answered', async () => {
  const { log, tell: ask, end } = listener({ inHalves: true })
  const first = count(1, 8).map(ask)
  await settled()
  // The first runs alone, before the others have come.
  assert.deepEqual(log, ['begin 1'])
  await end()
  assert.deepEqual(log, ['begin 1', 'begin 2 3 4 5', 'answer 1'])
  await end()
  assert.deepEqual(log.slice(3), ['begin 6 7 8', ...count(2, 5).map((item) => `answer ${item}`)])
  await end()
  await Promise.all(first)
})

test('in halves, the second half begins beside the first once it is complete, and not before', async () => {
  const { log, tell: ask, end } = listener({ inHalves: true, atOnceMax: 2 })
  const crowd = count(1, 8).map(ask)
  await settled()
  await end()
  assert.deepEqual(log, ['begin 1', 'begin 2', 'begin 3 4 5 6', 'answer 1'])
  await end()
  assert.deepEqual(log.slice(4), ['answer 2'])
  crowd.push(ask(9))
  await settled()
  assert.equal(log.length, 5)
  crowd.push(ask(10))
  assert.deepEqual(log.slice(5), ['begin 7 8 9 10'])
  await end()
  await end()
  await Promise.all(crowd)
})

test('in halves a lone caller does not wait, also after many that left', async () => {
  const { log, tell: ask, end } = listener({ inHalves: true })
  const crowd = count(1, 8).map(ask)
  for (let times = 0; times < 4; times++) await end()
  await Promise.all(crowd)
  for (let item = 100; item < 110; item++) {
    const alone = ask(item)
    await settled()
    assert.equal(log.at(-1), `begin ${item}`)
    await end()
    await alone
  }
  // Two at once are too few for halves: the first of them runs alone, at once.
  const two = [ask(200), ask(201)]
  assert.equal(log.at(-1), 'begin 200')
  await end()
  await end()
  await Promise.all(two)
})

test('work that fails fails for its group alone, and the next still comes', async () => {
  let times = 0
  const ask = gather<number, number>({
    groupMax: 2,
    work: (items) => (times++ === 0 ? Promise.reject(new Error('No')) : Promise.resolve(items)),
  })
  const ended = await Promise.allSettled([ask(1), ask(2), ask(3)])
  assert.deepEqual(
    ended.map(({ status }) => status),
    ['rejected', 'rejected', 'fulfilled'],
  )
})

test('an answer that is missing is an error, not undefined', async () => {
  const ask = gather<number, number>({ groupMax: 2, work: async (items) => items.slice(1) })
  const ended = await Promise.allSettled([ask(1), ask(2)])
  assert.deepEqual(
    ended.map(({ status }) => status),
    ['fulfilled', 'rejected'],
  )
})

test('with patience a group waits until as many callers as before are there, and begins at once then', async () => {
  const { log, tell: ask, end } = listener({ patienceMs: 3_600_000 })
  const first = count(1, 3).map(ask)
  await settled()
  await end()
  await Promise.all(first)
  log.length = 0
  const second = count(4, 5).map(ask)
  await settled()
  assert.deepEqual(log, [])
  const last = ask(6)
  await settled()
  assert.deepEqual(log, ['begin 4 5 6'])
  await end()
  await Promise.all([...second, last])
})

test('patience ends: a lone caller after many is answered all the same', async () => {
  const { tell: ask, end } = listener({ patienceMs: 1 })
  const first = count(1, 3).map(ask)
  await settled()
  await end()
  await Promise.all(first)
  const alone = ask(4)
  const ending = setInterval(() => void end(), 1)
  assert.equal(await alone, 40)
  clearInterval(ending)
})

test('a group waits for those that will ask soon, and begins when none of them is left', async () => {
  let coming = 3
  const {
    log,
    tell: ask,
    end,
  } = listener({
    patienceMs: 3_600_000,
    inHalves: true,
    coming: () => coming,
    callers: () => 8,
  })
  const requests = []
  for (const item of count(1, 3)) {
    assert.deepEqual(log, [])
    coming--
    requests.push(ask(item))
    await settled()
  }
  assert.deepEqual(log, ['begin 1 2 3'])
  await end()
  await Promise.all(requests)
})

test('a lone caller waits for nobody', async () => {
  const {
    log,
    tell: ask,
    end,
  } = listener({
    patienceMs: 3_600_000,
    inHalves: true,
    coming: () => 0,
    callers: () => 1,
  })
  const requested = ask(1)
  await settled()
  assert.deepEqual(log, ['begin 1'])
  await end()
  await requested
})

test('a half of the callers does not wait for the other half', async () => {
  const {
    log,
    tell: ask,
    end,
  } = listener({
    patienceMs: 3_600_000,
    inHalves: true,
    coming: () => 5,
    callers: () => 8,
  })
  const requested = count(1, 3).map(ask)
  await settled()
  assert.deepEqual(log, [])
  requested.push(ask(4))
  await settled()
  assert.deepEqual(log, ['begin 1 2 3 4'])
  await end()
  await Promise.all(requested)
})

test('callers that are busy elsewhere count: the others are not divided once more', async () => {
  const { log, tell: ask, end } = listener({ atOnceMax: 2, inHalves: true, callers: () => 8 })
  const requested = count(1, 4).map(ask)
  await settled()
  assert.deepEqual(log, ['begin 1 2 3 4'])
  await end()
  await Promise.all(requested)
})

test('a caller that nothing else counts is answered', async () => {
  const {
    log,
    tell: ask,
    end,
  } = listener({
    patienceMs: 3_600_000,
    atOnceMax: 2,
    inHalves: true,
    coming: () => 0,
    callers: () => 0,
  })
  const requested = ask(1)
  await settled()
  assert.deepEqual(log, ['begin 1'])
  await end()
  assert.equal(await requested, 10)
})

test('by workspace: each has its own groups, and a lone caller after many does not wait for them', async () => {
  const log: string[] = []
  let created = 0
  const ask = gatherByWorkspace<number, number>({
    groupMax: 100,
    inHalves: true,
    work: (workspaceId) => {
      created++
      return (items) => {
        log.push(`${workspaceId}: ${items.join(' ')}`)
        return turn(items)
      }
    },
  })
  await Promise.all([...count(1, 8).map((item) => ask(1, item)), ask(2, 1)])
  assert.deepEqual(log.slice(0, 3).toSorted(), ['1: 1', '1: 2 3 4 5', '2: 1'])
  const two = [ask(1, 9), ask(1, 10)]
  await Promise.all(two)
  assert.deepEqual(log.slice(-2), ['1: 9', '1: 10'])
  assert.equal(created, 2)
})

test('of a thousand and more workspaces the idle ones are let go, and none that has work', async () => {
  const created: number[] = []
  const late = Promise.withResolvers<number[]>()
  const ask = gatherByWorkspace<number, number>({
    groupMax: 1,
    work: (workspaceId) => {
      created.push(workspaceId)
      return (items) => (workspaceId === 1 ? late.promise : Promise.resolve(items))
    },
  })
  const busy = ask(1, 0)
  for (const workspaceId of count(2, 1_001)) await ask(workspaceId, 0)
  await ask(2, 0)
  const waiting = ask(1, 0)
  assert.deepEqual(created.slice(-2), [1_001, 2])
  late.resolve([7])
  assert.deepEqual(await Promise.all([busy, waiting]), [7, 7])
})
