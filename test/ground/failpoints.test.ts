/** Failpoints: inert by default, and exactly as often as they were asked for. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFailpoints, type Failpoints } from '../../src/ground/failpoints.ts'
import { OperatorError } from '../../src/ground/operator-error.ts'

const waited: number[] = []
const clock = {
  sleep: (ms: number): Promise<void> => {
    waited.push(ms)
    return Promise.resolve()
  },
}
const set = (text: string): Failpoints => {
  const points = createFailpoints(text, clock)
  assert.ok(points)
  return points
}
const times = (text: string, rounds: number): boolean[] => {
  const points = set(text)
  return Array.from({ length: rounds }, () => points.broken('here'))
}

test('without a list nothing happens', () => {
  assert.equal(createFailpoints('', clock), null)
  const points = set('here:throw, there:broken')
  assert.equal(points.hit('anywhere'), undefined)
  assert.equal(points.broken('anywhere'), false)
})

test('@2 is the second time only, @2+ from the second on, none each time', () => {
  assert.deepEqual(times('here:broken@2', 4), [false, true, false, false])
  assert.deepEqual(times('here:broken@2+', 4), [false, true, true, true])
  assert.deepEqual(times('here:broken', 2), [true, true])
})

test('@P% is a share, and the same seed gives the same run', () => {
  const run = times('here:broken@20%7', 2_000)
  const share = run.filter(Boolean).length / run.length
  assert.ok(share > 0.15 && share < 0.25, String(share))
  assert.deepEqual(times('here:broken@20%7', 2_000), run)
  assert.notDeepEqual(times('here:broken@20%8', 2_000), run)
})

test('throw throws, delay waits, each at its own place', async () => {
  const points = set('a.b:throw, c:delay:250')
  assert.throws(() => points.hit('a.b'), /failpoint a.b/)
  await points.hit('c')
  assert.deepEqual(waited, [250])
  assert.equal(points.hit('b'), undefined)
})

test('hold waits for SIGUSR2, which lets go of all places', async () => {
  const points = set('here:hold, there:hold')
  let passed = 0
  const withheld = ['here', 'there'].map(async (name) => {
    await points.hit(name)
    passed++
  })
  await Promise.resolve()
  assert.equal(passed, 0)
  // Node's test runner has its processes write a report at this signal.
  if (process.report) process.report.reportOnSignal = false
  // A signal that is under way keeps no process alive.
  const alive = setInterval(() => undefined, 1_000)
  process.kill(process.pid, 'SIGUSR2')
  await Promise.all(withheld)
  clearInterval(alive)
  await points.hit('here')
  assert.equal(passed, 2)
})

test('a list that cannot be read is refused in one line', () => {
  for (const text of ['here', 'here:explode', 'here:kill@', 'here:delay:soon'])
    assert.throws(() => createFailpoints(text, clock), OperatorError)
})
