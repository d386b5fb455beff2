/**
 * Identifiers: valid UUIDv7, unique, and growing in the order they were made, also within a
 * millisecond and when the clock goes back.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isId, makeIds } from '../../src/ground/ids.ts'

test('ten thousand of one millisecond are valid, unique and in order', () => {
  const makeId = makeIds(() => 1_795_000_000_000)
  const ids = Array.from({ length: 10_000 }, makeId)
  assert.equal(new Set(ids).size, ids.length)
  assert.deepEqual(ids, ids.toSorted())
  for (const id of ids)
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  assert.ok(ids.every(isId))
})

test('they go on growing when the clock goes back', () => {
  const times = [2000, 1000, 1500, 3000]
  const makeId = makeIds(() => times.shift() ?? 4000)
  const ids = Array.from({ length: 5 }, makeId)
  assert.deepEqual(ids, ids.toSorted())
})
