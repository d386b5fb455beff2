/**
 * Hand-offs by destination in the metrics: the domains with the most mail have lines of their own,
 * and no mail is lost or counted twice.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  createDestinationCounts,
  destinationsMax,
  otherDestinations,
} from '../../src/entrypoints/health/work-counters.ts'

const mail = (destination: string, outcome = 'sent') => ({
  destination,
  provider: 'direct-mx',
  outcome,
  count: 1,
})

test('the first domains have lines of their own, later ones share one', () => {
  const counts = createDestinationCounts()
  for (let each = 0; each < 200; each++) counts.add(mail(`d${each}.test`))
  const lines = [...counts.read()]
  assert.equal(lines.length, destinationsMax + 1)
  assert.deepEqual(lines.at(-1), { ...mail(otherDestinations), count: 150 })
})

test('a domain that outgrows the smallest takes its place; every line only grows, and the sum is exact', () => {
  const counts = createDestinationCounts()
  for (let each = 0; each < destinationsMax; each++) counts.add(mail(`small${each}.test`))
  const before = new Map<string, number>()
  const known = new Set<string>()
  for (let each = 1; each <= 1_000; each++) {
    counts.add(mail('large.test', each % 10 === 0 ? 'deferred' : 'sent'))
    let sum = 0
    for (const { destination, outcome, count } of counts.read()) {
      const name = `${destination} ${outcome}`
      assert.ok(count >= (before.get(name) ?? 0), name)
      before.set(name, count)
      known.add(destination)
      sum += count
    }
    assert.equal(sum, destinationsMax + each)
  }
  assert.ok(known.has('large.test'))
  assert.equal(
    new Set([...counts.read()].map(({ destination }) => destination)).size,
    destinationsMax + 1,
  )
})

test('any number of domains leaves the number of lines as it is', () => {
  const counts = createDestinationCounts()
  for (let each = 0; each < 100_000; each++)
    counts.add(mail(`d${each % 20_000}.test`, ['sent', 'deferred', 'bounced'][each % 3]))
  assert.ok([...counts.read()].length <= (destinationsMax + 1) * 3)
})
