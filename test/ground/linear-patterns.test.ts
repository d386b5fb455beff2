/**
 * Expressions over callers' text are linear: each runs over 100 KB of each of its characters and
 * words (security: What attacks taught).
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { costMs } from '../support/linear.ts'
import { patternsIn, piecesOf, type Pattern } from '../support/patterns-in.ts'

/** Read texts of ours, of the operator, or of a bounded length, as each says. */
const otherTexts: Record<string, string> = {
  'src/ground/shown-values.ts': 'a number',
  'src/contract/reference/': 'the contract',
  'src/database/schema/plain-sql.ts': 'what our migrations made, as the catalog writes it',
  'src/entrypoints/cli/': 'the operator’s files and names',
  'src/entrypoints/pages/docs/': 'the documentation',
  'src/mail/html/classify-request.ts': 'a User-Agent, cut at 512 characters before it is read',
  'src/ground/setting-readers.ts': 'settings',
}

const isOfCallers = ({ location }: Pattern): boolean =>
  !Object.keys(otherTexts).some((path) => location.startsWith(path))

/** What repeats without a limit: any other pattern takes a bounded time at each place. */
const unlimited = /(?<!\\)[*+]|\{\d+,\}/

/** No pattern has it, so that what a run of characters leads to does not come. */
const otherCharacter = '\u0001'

const quickMs = 5

/** In steps, so that a pattern that is far from linear is found before it takes minutes. */
function assertLinearPattern({ location, source, flags }: Pattern): void {
  const pattern = new RegExp(source, flags.replace(/[gy]/g, ''))
  for (const piece of piecesOf(source)) {
    const costOf = (bytes: number): number => {
      const text = piece.repeat(bytes / piece.length) + otherCharacter
      return costMs(() => pattern.test(text))
    }
    const leastOf = (bytes: number): number => Math.min(...[1, 2, 3].map(() => costOf(bytes)))
    for (const bytes of [400, 10_000, 100_000]) {
      // So little time on a processor that nothing of this length can be far from linear.
      if (costOf(bytes) < quickMs || leastOf(bytes) < quickMs) continue
      const growth = leastOf(bytes) / leastOf(bytes / 8)
      assert.ok(
        growth < 24,
        `${location}: /${source}/ over ${JSON.stringify(piece)}: eight times the length costs ${growth} times`,
      )
    }
  }
}

test('each pattern over callers’ text is linear in 100 KB of each of its characters and words', () => {
  const patterns = patternsIn('src').filter(
    (pattern) => isOfCallers(pattern) && unlimited.test(pattern.source),
  )
  assert.ok(patterns.length > 100, String(patterns.length))
  for (const pattern of patterns) assertLinearPattern(pattern)
})

test('patterns with nested or adjacent quantifiers are noticed, by a character or by a word', () => {
  const broken = ['[ \\t]+$', '\\S*@\\S*', '<style[^>]*>']
  for (const source of broken) {
    assert.throws(
      () => assertLinearPattern({ location: 'here', source, flags: 'i' }),
      /costs/,
      source,
    )
  }
})
