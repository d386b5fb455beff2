/** Tags are read alike, whether plain text is taken whole or the tokenizer reads every letter. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { scanTags, type Doctype } from '../../../src/mail/html/scan-tags.ts'
import { assertLinear } from '../../support/linear.ts'

/**
 * All that a listener hears. `withPlaces`: the tokenizer reads every letter, since it counts them.
 */
function heard(html: string, withPlaces: boolean): unknown[] {
  const events: unknown[] = []
  const listener = {
    onText: (text: string) => void events.push(['text', text]),
    onOpen: (name: string, attributes: ReadonlyMap<string, string>) =>
      void events.push(['open', name, [...attributes]]),
    onClose: (name: string) => void events.push(['close', name]),
    onInside: (name: string, text: string) => void events.push(['inside', name, text]),
    onDoctype: ({ name, publicId }: Doctype) => void events.push(['doctype', name, publicId]),
  }
  scanTags(html, listener, { withPlaces })
  return events
}

/** What ends a piece of plain text, or seems to. */
const parts = [
  ...[
    '<b>',
    '</b>',
    '<br/>',
    '<a href="x>y" title=\'<i>\'>',
    '<a href=',
    '</',
    '<',
    '>',
    '&amp;',
    '&lt',
    '&',
    '&#0;',
    '&notin;',
    '\0',
  ],
  ...[
    '<!-- a > b -->',
    '<!-->',
    '<!--',
    '-->',
    '<!doctype html>',
    '<?php ?>',
    '<![CDATA[x]]>',
    '<3 ',
    '\r\n',
    '\r',
    '\n',
    '\f',
  ],
  ...[
    '<script>',
    '</script>',
    '<style>a>b{}',
    '</style>',
    '<title>',
    '</title>',
    '<textarea>\n',
    '</textarea >',
    '<xmp>',
    '<plaintext>',
  ],
  ...[
    'mot',
    'some words that are long enough to be taken whole',
    ' ',
    '\u00a0',
    '😀',
    '\ud83d',
    '\ude00',
    '\ufeff',
    '\u0001',
    '"',
    "'",
    '=',
    'x > y',
  ],
]

test('any mixture of tags, text, comments and what is none of them', () => {
  const html = fc
    .array(fc.constantFrom(...parts), { maxLength: 40 })
    .map((chosen) => chosen.join(''))
  fc.assert(
    fc.property(html, (text) =>
      assert.deepEqual(heard(text, false), heard(text, true), JSON.stringify(text)),
    ),
    { numRuns: 2_000 },
  )
})

test('time stays in proportion to the length', () => {
  for (const part of [
    '<b>a</b>',
    'a &amp; b ',
    '<!-- a -->',
    'word > ',
    '<a title="',
    '</p',
    '<script>a > b',
  ])
    assertLinear(part, 100_000, (length) => heard(part.repeat(length / part.length), false))
})
