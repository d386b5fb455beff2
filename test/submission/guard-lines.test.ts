/** The guard finds each bare CR or LF, wherever the network cuts the bytes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { LineGuard } from '../../src/entrypoints/submission/guard-lines.ts'

/** The text in chunks that end before these positions. */
function pieces(text: string, cuts: number[]): Buffer[] {
  const places = [0, ...new Set(cuts.map((cut) => cut % (text.length + 1))), text.length]
  const ends = places.toSorted((a, b) => a - b)
  return ends.slice(1).map((end, index) => Buffer.from(text.slice(ends[index], end)))
}

const bytes = fc
  .array(fc.constantFrom('\r\n', '\r\n', '\r', '\n', '.', 'a', '..'), { maxLength: 12 })
  .map((parts) => parts.join(''))
const cuts = fc.array(fc.nat(), { maxLength: 6 })

test('a command is whole exactly where each CR has its LF, and each LF its CR', () => {
  fc.assert(
    fc.property(bytes, cuts, (text, places) => {
      const guard = new LineGuard()
      const areWhole = pieces(`${text}x`, places).map((piece) => guard.inspect(piece))
      assert.equal(areWhole.every(Boolean), !/\r(?!\n)|(?<!\r)\n/.test(text))
    }),
    { numRuns: 2_000 },
  )
})

test('a mail ends at the dot between two CRLF alone, and what is broken behind it is a command', () => {
  fc.assert(
    fc.property(bytes, bytes, cuts, (text, behind, places) => {
      const guard = new LineGuard()
      guard.beginData()
      const end = /(?:^|(?<=\r\n))\.\r\n/.exec(text)
      const [inside, after] = end
        ? [text.slice(0, end.index), text.slice(end.index + 3) + behind]
        : [text, '']
      const whole = end ? text + behind : text
      const areWhole = pieces(`${whole}x`, places).map((piece) => guard.inspect(piece))
      const isBroken = (part: string): boolean => /\r(?!\n)|(?<!\r)\n/.test(part)
      assert.equal(guard.isDataBroken, isBroken(end ? inside : `${inside}x`))
      assert.equal(areWhole.every(Boolean), !isBroken(`${after}x`))
    }),
    { numRuns: 2_000 },
  )
})
