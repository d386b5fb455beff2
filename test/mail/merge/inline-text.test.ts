/** The inside of a paragraph, and the `text` format: what signs mean, and what they do not. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertLinear } from '../../support/linear.ts'
import { readInline, type InlineSyntax } from '../../../src/mail/merge/inline-text.ts'
import { createMarkTable } from '../../../src/mail/merge/mark-table.ts'
import { inlineHtml, inlineText } from '../../../src/mail/merge/render-inline.ts'
import { textBlocks } from '../../../src/mail/campaign/text-blocks.ts'

/** Links are written out as their addresses. */
function render(text: string, syntax: InlineSyntax = 'formatted'): { html: string; text: string } {
  const table = createMarkTable()
  const runs = readInline(table.markTags(text), syntax, table)
  const html = inlineHtml(runs, '').replaceAll(' class="f-link"', '').replaceAll(' style=""', '')
  return { html: table.unmark(html), text: table.unmark(inlineText(runs)) }
}

test('bold, italic, both, and signs that mean nothing', () => {
  for (const [text, html] of [
    ['a **b** c', 'a <strong>b</strong> c'],
    ['*a* b', '<em>a</em> b'],
    ['**a *b* c**', '<strong>a </strong><strong><em>b</em></strong><strong> c</strong>'],
    ['2 * 3 * 4', '2 * 3 * 4'],
    ['a * b* c', 'a * b* c'],
    ['**a', '**a'],
    ['a_b_c', 'a_b_c'],
    [String.raw`\*a\* \[b\]`, '*a* [b]'],
    ['a <b> & "c"', 'a &lt;b&gt; &amp; &quot;c&quot;'],
    ['a\nb', 'a<br>\nb'],
    ['**{{firstName}}**', '<strong>{{firstName}}</strong>'],
  ] as const) {
    assert.equal(render(text).html, html, text)
  }
})

test('links: written, bare, with merge tags; none that a mail may not hold', () => {
  for (const [text, html, plain] of [
    [
      '[a](https://example.com/)',
      '<a href="https://example.com/">a</a>',
      'a (https://example.com/)',
    ],
    [
      '[**a** b](mailto:a@example.com)',
      '<a href="mailto:a@example.com"><strong>a</strong> b</a>',
      'a b (mailto:a@example.com)',
    ],
    [
      '(see https://example.com/a.)',
      '(see <a href="https://example.com/a">https://example.com/a</a>.)',
      '(see https://example.com/a.)',
    ],
    [
      '[w](https://example.com/a_(b))',
      '<a href="https://example.com/a_(b)">w</a>',
      'w (https://example.com/a_(b))',
    ],
    [
      '[a](https://example.com/?n={{firstName}})',
      '<a href="https://example.com/?n={{firstName}}">a</a>',
      'a (https://example.com/?n={{firstName}})',
    ],
    [
      '{{unsubscribe_url}}',
      '<a href="{{unsubscribe_url}}">{{unsubscribe_url}}</a>',
      '{{unsubscribe_url}}',
    ],
    [
      '[out]({{unsubscribe_url}})',
      '<a href="{{unsubscribe_url}}">out</a>',
      'out ({{unsubscribe_url}})',
    ],
    ['[a](javascript:x)', '[a](javascript:x)', '[a](javascript:x)'],
    ['[a](/b) javascript:x', '[a](/b) javascript:x', '[a](/b) javascript:x'],
    ['https://{{fields.host}}/', 'https://{{fields.host}}/', 'https://{{fields.host}}/'],
  ] as const) {
    assert.deepEqual(render(text), { html, text: plain }, text)
  }
})

test('the text format: signs are signs, bare addresses are links', () => {
  assert.equal(render('2**3 *a* [b](c)', 'plain').html, '2**3 *a* [b](c)')
  assert.equal(
    render('https://example.com/', 'plain').html,
    '<a href="https://example.com/">https://example.com/</a>',
  )
})

test('the text format: a blank line divides paragraphs, `# ` at the start of a line makes a heading', () => {
  const shapes = (text: string): string[] =>
    textBlocks(text).map((block) => `${block.type}:${'text' in block ? block.text : ''}`)
  assert.deepEqual(shapes('# Title\nfirst\nline\n\n\n \nsecond\r\n\r\n#no\n ## no'), [
    'heading:Title',
    'paragraph:first\nline',
    'paragraph:second',
    'paragraph:#no\n ## no',
  ])
  assert.deepEqual(shapes('a\n# B\nc'), ['paragraph:a', 'heading:B', 'paragraph:c'])
  assert.deepEqual(shapes('# \n'), ['paragraph:#'])
})

test('any signs, however many, in time linear in the text', () => {
  for (const piece of [
    '*',
    '**',
    '[',
    '](',
    '[a](',
    '[a](b',
    '\\',
    'https://a.example/)',
    'https://a.example/(',
    '*a **b ',
    '. ',
  ]) {
    assertLinear(piece, 25_000, (length) => render(piece.repeat(length / piece.length)))
  }
  assertLinear('an address', 25_000, (length) => render(`https://a.example/${').'.repeat(length)}`))
})
