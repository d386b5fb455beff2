/** The text part that is made of a caller's HTML: what a reader finds in it, and that hostile HTML costs no more than its length. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { textOfHtml } from '../../src/mail/text-of-html.ts'

test('blocks, lines, lists, quotations, links and pictures as text', () => {
  for (const [html, text] of [
    ['<p>Bonjour  <b>Camille</b>\n !</p><p>Merci<br>Zoé', 'Bonjour Camille !\n\nMerci\nZoé\n'],
    ['<h1>Titre</h1><div>un</div><div>deux</div>', 'Titre\n\nun\ndeux\n'],
    ['<ul><li>un</li><li>deux<ol><li>a<li>b</ol></li></ul>fin', '* un\n* deux\n  1. a\n  2. b\n\nfin\n'],
    ['<a href="https://example.com/a?b=1&amp;c=2">Suivre</a>, puis', 'Suivre (https://example.com/a?b=1&c=2), puis\n'],
    ['<a href="https://example.com/">https://example.com/</a>', 'https://example.com/\n'],
    ['<a href="mailto:a@b.fr">a@b.fr</a> <a href="tel:+33">appeler</a>', 'a@b.fr appeler (tel:+33)\n'],
    ['<a href="https://example.com/"><img src=x></a>', 'https://example.com/\n'],
    ['<a href="https://example.com/"><img alt=" Logo " src=x></a>', '[Logo] (https://example.com/)\n'],
    ['<a href="#top">haut</a> <a href="javascript:x()">x</a>', 'haut x\n'],
    ['<blockquote><p>un</p>deux</blockquote>trois', '> un\n\n> deux\n\ntrois\n'],
    ['<table><tr><td>Stylo<td>2 €</tr><tr><td>Total</table>', 'Stylo\n2 €\nTotal\n'],
    ['<pre>  a\n    b</pre>c<hr>d', '  a\n    b\n\nc\n\n---\n\nd\n'],
    [
      'n&deg;&nbsp;1042 pr&ecirc;t &lt;b&gt; &amp;lt; &#8364; &#x1F600; &copy 2026 &unknown;',
      'n° 1042 prêt <b> &lt; € 😀 © 2026 &unknown;\n',
    ],
    ['<title>t</title><style>p{}</style><script>s</script><!-- c --><!--[if mso]>o<![endif]-->a', 'a\n'],
    ['<div style="color:red; display : none">avant</div><div data-skip-in-text="true">p<div>q</div>r</div>a', 'a\n'],
    ['a < b <', 'a < b <\n'],
    ['<img src=x><p> &nbsp; </p>', null],
    ['', null],
  ] as const) {
    assert.equal(textOfHtml(html), text, html)
  }
})

test('any HTML: no control character but line feeds, valid Unicode, and never two empty lines', () => {
  const pieces = fc.constantFrom(
    ...['<p>', '</p>', '<br>', '<ul>', '<li>', '</ul>', '<a href="https://a.b/">', '</a>', '<blockquote>', '</blockquote>'],
    ...[
      '<pre>',
      '</pre>',
      '<div style="display:none">',
      '</div>',
      '<img alt="x">',
      '<!--',
      '-->',
      '<',
      '"',
      '&#xd800;',
      '&#0;',
      '&nbsp;',
    ],
  )
  fc.assert(
    fc.property(fc.array(fc.oneof(pieces, fc.string({ unit: 'grapheme', maxLength: 5 })), { maxLength: 40 }), (parts) => {
      const text = textOfHtml(parts.join('')) ?? 'a\n'
      assert.ok(text.isWellFormed() && text.endsWith('\n') && text.trim() !== '')
      assert.doesNotMatch(text, /\n{3}|\0/)
      assert.equal(textOfHtml(parts.join('')) ?? 'a\n', text)
    }),
  )
})

const hostile: Record<string, string> = {
  quotations: '<blockquote>'.repeat(290) + '<p>x'.repeat(90_000),
  lists: '<ul><li>'.repeat(20_000) + 'a<br>'.repeat(50_000),
  elements: '<b>'.repeat(130_000),
  links: '<a href=http://a.b/>x</a>'.repeat(15_000),
  attributes: `<a ${Array.from({ length: 60_000 }, (_, index) => `x${index}`).join(' ')}>`,
  characters: Array.from({ length: 50_000 }, (_, index) => `&#${index};`).join(''),
}
for (const [what, html] of Object.entries(hostile)) {
  test(`400,000 characters of ${what}: a text of at most ten times that, without a tree of it`, () => {
    assert.ok(html.length > 200_000)
    assert.ok((textOfHtml(html)?.length ?? 0) < 10 * html.length)
  })
}
