/** What divides the tags of a cell: known, asked about, or written by ourselves. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  createSeparatorTally,
  joinTags,
  splitTags,
} from '../../../src/core/audience/imports/columns/tag-separators.ts'

function requests(...cells: string[]): string[] {
  const tally = createSeparatorTally()
  for (const cell of cells) tally.look(cell)
  return tally.unknown().map(({ separator, count }) => `${separator}${count}`)
}

test('commas alone or semicolons alone divide tags; any other character, or both of them, is asked about', () => {
  for (const clear of [
    [],
    ['vip'],
    ['vip,beta', 'x'],
    ['vip; beta'],
    ['"Gold","Blog"'],
    ['"a|b","c/d"'],
    ['R&D', 'fr-FR', 'x y', 'a:b'],
  ])
    assert.deepEqual(requests(...clear), [], clear.join(' '))
  assert.deepEqual(requests('vip|beta', '', 'x'), ['|1'])
  assert.deepEqual(requests('vip/beta', 'a / b'), ['/2'])
  assert.deepEqual(requests('vip,beta', 'vip;beta', 'a,b'), [',2', ';1'])
  assert.deepEqual(requests('vip\nbeta'), ['\n1'])
  assert.deepEqual(requests('vip\tbeta'), ['\t1'])
  assert.deepEqual(requests('vip • beta'), ['•1'])
  assert.deepEqual(
    requests(String.raw`vip\|beta,x`),
    [],
    'a backslash says that it belongs to the tag',
  )
})

test('what the user says divides, and nothing else', () => {
  assert.deepEqual(splitTags('vip|beta, x', '|'), ['vip', 'beta, x'])
  assert.deepEqual(splitTags('vip|beta,x', '|,'), ['vip', 'beta', 'x'])
  assert.deepEqual(splitTags('"a|b"|c', '|'), ['a|b', 'c'])
  assert.deepEqual(splitTags(String.raw`a\|b|c`, '|'), ['a|b', 'c'])
  assert.deepEqual(splitTags('vip/beta', ','), ['vip/beta'])
})

test('tags of our own exports come back whole, and no import asks about them', () => {
  const letters = fc.constantFrom('a', 'é', ' ', ',', ';', '|', '/', '"', '\\', '•')
  const tag = fc.array(letters, { minLength: 1, maxLength: 8 }).map((some) => some.join('').trim())
  fc.assert(
    fc.property(fc.uniqueArray(tag, { maxLength: 5 }), (tags) => {
      const expected = tags.filter((entry) => entry !== '')
      assert.deepEqual(splitTags(joinTags(expected)), expected)
      assert.deepEqual(
        requests(joinTags(expected)).filter((matches) => !matches.startsWith(',')),
        [],
      )
    }),
  )
})
