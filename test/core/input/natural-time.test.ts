/** Times in words: what is read, in which zone, and that the contract says the same. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EmailUpdate } from '../../../src/contract/emails.ts'
import { naturalTimeMs } from '../../../src/core/input/natural-time.ts'
import { at } from '../../support/json.ts'

/** A Friday. */
const now = '2026-11-27T10:00:30Z'
const read = (words: string, from = now): string | null => {
  const ms = naturalTimeMs(words, Date.parse(from))
  return ms === null ? null : new Date(ms).toISOString()
}
const pattern = new RegExp(
  String(at(EmailUpdate, 'properties', 'scheduled_at', 'x-rules', 'pattern')),
  'u',
)

for (const [words, instant] of [
  ['in 1 min', '2026-11-27T10:01:30.000Z'],
  ['in 1 hour', '2026-11-27T11:00:30.000Z'],
  ['In an hour', '2026-11-27T11:00:30.000Z'],
  ['in 0 seconds', '2026-11-27T10:00:30.000Z'],
  ['in 30 days', '2026-12-27T10:00:30.000Z'],
  ['in 2 weeks', '2026-12-11T10:00:30.000Z'],
  ['tomorrow at 9am', '2026-11-28T09:00:00.000Z'],
  ['today at 23:30', '2026-11-27T23:30:00.000Z'],
  ['today at 9am', '2026-11-27T09:00:00.000Z'],
  ['tomorrow at 12am', '2026-11-28T00:00:00.000Z'],
  ['tomorrow at midnight', '2026-11-28T00:00:00.000Z'],
  ['tomorrow at 12:30 pm', '2026-11-28T12:30:00.000Z'],
  ['Friday at 3pm ET', '2026-11-27T20:00:00.000Z'],
  ['Friday at 9am', '2026-12-04T09:00:00.000Z'],
  ['on monday at noon CET', '2026-11-30T11:00:00.000Z'],
  ['tomorrow at 9am PST', '2026-11-28T17:00:00.000Z'],
] as const)
  test(`${words}: ${instant}`, () => {
    assert.equal(read(words), instant)
    assert.match(words, pattern)
  })

test('a day is the zone’s own, and its clocks may change in between', () => {
  assert.equal(read('tomorrow at 9am PT', '2026-11-28T02:00:00Z'), '2026-11-28T17:00:00.000Z')
  assert.equal(read('tomorrow at 9am ET', '2026-03-07T17:00:00Z'), '2026-03-08T13:00:00.000Z')
  assert.equal(read('Sunday at 9am ET', '2026-10-31T12:00:00Z'), '2026-11-01T14:00:00.000Z')
})

test('words with two meanings, of another language or too long are not read', () => {
  for (const words of [
    ...['', 'soon', 'now', 'tomorrow', 'at 9am', 'tomorrow at 9', 'next Friday at 9am'],
    ...['tomorrow at 13pm', 'tomorrow at 0am', 'tomorrow at 24:00', 'tomorrow at 9:60am'],
    ...['in -1 min', 'in 1.5 hours', 'in 1 month', 'in 1234567 min', 'in  1 min', ' in 1 min'],
    ...['Friday at 3pm BST', 'Friday at 3pm constructor', 'demain à 9h', 'in 1 min\n'],
    ...['Friday at 3pm toString', 'tomorrow at 9am valu', 'in 1 wee\u212a'],
  ]) {
    assert.equal(read(words), null, words)
    assert.doesNotMatch(words, pattern, words)
  }
})
