/** Forged cursors: each part is validated as input, whatever their digest says. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '../../../src/contract/errors.ts'
import { readCursor, writeCursor } from '../../../src/core/input/cursor.ts'

const id = '019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e40'
const at = '2026-11-22 08:00:00.123456+00'
const created = (location: object) => writeCursor({ at, id, ...location }, 'list')

test('a written cursor is read back', () => {
  assert.deepEqual(readCursor(created({}), 'list'), { at, id })
  assert.deepEqual(readCursor(created({ part: id }), 'list'), { at, id, part: id })
  assert.equal(readCursor('', 'list'), null)
})

const wrong: [situation: string, place: object][] = [
  ...[
    '0000-01-01T00:00:00Z',
    '+010000-01-01T00:00:00Z',
    '2026-02-30T00:00:00Z',
    '2026-01-01T00:00:00+23:00',
    '2026-01-01',
    'Thu, 01 Jan 2026 00:00:00 GMT',
    '1',
  ].map((time): [string, object] => [`the time ${time}`, { at: time }]),
  ['an identifier that is none', { id: 'x' }],
  ['a part that is no identifier', { part: 'x' }],
]
for (const [situation, location] of wrong) {
  test(`refused: ${situation}`, () => {
    assert.throws(
      () => readCursor(created(location), 'list'),
      (error) => error instanceof ApiError && error.details['rule'] === 'cursor',
    )
  })
}

test('refused: of another list', () => {
  assert.throws(() => readCursor(created({}), 'another'), ApiError)
})
