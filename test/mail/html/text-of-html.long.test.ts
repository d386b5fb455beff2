/**
 * The text part that is made of a caller's HTML: what a reader finds in it, and that hostile HTML
 * costs no more than its length.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { textOfHtml } from '../../../src/mail/html/text-of-html.ts'
import { assertLinear } from '../../support/linear.ts'

test('blocks, lines, lists, quotations, links and pictures as text', () => {
  for (const [html, text] of [
    ['<p>Bonjour  <b>Camille</b>\n !</p><p>Merci<br>Zoé', 'Bonjour Camille !\n\nMerci\nZoé\n'],
    ['<h1>Titre</h1><div>un</div><div>deux</div>', 'Titre\n\nun\ndeux\n'],
    [
      '<ul><li>un</li><li>deux<ol><li>a<li>b</ol></li></ul>fin',
      '* un\n* deux\n  1. a\n  2. b\n\nfin\n',
    ],
    [
      '<a href="https://example.com/a?b=1&amp;c=2">Suivre</a>, puis',
      'Suivre (https://example.com/a?b=1&c=2), puis\n',
    ],
    ['<a href="https://example.com/">https://example.com/</a>', 'https://example.com/\n'],
    [
      '<a href="mailto:a@b.fr">a@b.fr</a> <a href="tel:+33">appeler</a>',
      'a@b.fr appeler (tel:+33)\n',
    ],
    ['<a href="https://example.com/"><img src=x></a>', 'https://example.com/\n'],
    [
      '<a href="https://example.com/"><img alt=" Logo " src=x></a>',
      '[Logo] (https://example.com/)\n',
    ],
    ['<a href="#top">haut</a> <a href="javascript:x()">x</a>', 'haut x\n'],
    ['<blockquote><p>un</p>deux</blockquote>trois', '> un\n\n> deux\n\ntrois\n'],
    ['<table><tr><td>Stylo<td>2 €</tr><tr><td>Total</table>', 'Stylo\n2 €\nTotal\n'],
    ['<pre>  a\n    b</pre>c<hr>d', '  a\n    b\n\nc\n\n---\n\nd\n'],
    [
      'n&deg;&nbsp;1042 pr&ecirc;t &lt;b&gt; &amp;lt; &#8364; &#x1F600; &copy 2026 &unknown;',
      'n° 1042 prêt <b> &lt; € 😀 © 2026 &unknown;\n',
    ],
    [
      '<title>t</title><style>p{}</style><script>s</script><!-- c --><!--[if mso]>o<![endif]-->a',
      'a\n',
    ],
    [
      '<div style="color:red; display : none">avant</div><div data-skip-in-text="true">p<div>q</div>r</div>a',
      'a\n',
    ],
    ['<p style="display:none">Pre<p>Body</p><p>Fin</p>', 'Body\n\nFin\n'],
    ['<p style="display:none">Pre<div>Body</div>Fin', 'Body\nFin\n'],
    ['<p style="display:none">Pre <b>bold<ul><li>Body</ul>', '* Body\n'],
    ['<p style="display:none">Pre<button><div>in it</div></button></p>Body', 'Body\n'],
    ['<ul><li style="display:none">x<li>y</ul>', '* y\n'],
    ['<ul><li style="display:none">x<ul><li>in it</ul>too<li>y</ul>z', '* y\n\nz\n'],
    ['<ul><li>y<li style="display:none">x</ul>z', '* y\n\nz\n'],
    [
      '<table><tr><td style="display:none">x<td>y<tr style="display:none"><td>x<tr><td>z</table>',
      'y\nz\n',
    ],
    [
      '<table><tr><td style="display:none">x<table><tr><td>in it</table></div>x</tr></table>y',
      'y\n',
    ],
    ['<table><thead style="display:none"><tr><th>x<tbody><tr><td>y</table>', 'y\n'],
    ['<dl><dt style="display:none">x<dd>y<dd style="display:none">x</dl>z', 'y\n\nz\n'],
    ['<select><option style="display:none">x<option>y</select>', 'y\n'],
    ['<h2 style="display:none">x<h1>y</h1>', 'y\n'],
    ['<div><span style="display:none">x<i>x</div>y', 'y\n'],
    ['<body><div style="display:none">Pre<p>Body</p></body></html>', 'Pre\n\nBody\n'],
    ['<div style="display:none">Pre<span style="display:none">x</span><p>Body', 'Pre\n\nBody\n'],
    ['<img style="display:none" alt="x">y', 'y\n'],
    ['a < b <', 'a < b <\n'],
    ['<img src=x><p> &nbsp; </p>', null],
    ['', null],
  ] as const) {
    assert.equal(textOfHtml(html), text, html)
  }
})

test('any HTML: no control character but line feeds, valid Unicode, and never two empty lines', () => {
  const pieces = fc.constantFrom(
    ...[
      '<p>',
      '</p>',
      '<br>',
      '<ul>',
      '<li>',
      '</ul>',
      '<a href="https://a.b/">',
      '</a>',
      '<blockquote>',
      '</blockquote>',
    ],
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
    fc.property(
      fc.array(fc.oneof(pieces, fc.string({ unit: 'grapheme', maxLength: 5 })), { maxLength: 40 }),
      (parts) => {
        const text = textOfHtml(parts.join('')) ?? 'a\n'
        assert.ok(text.isWellFormed() && text.endsWith('\n') && text.trim() !== '')
        assert.doesNotMatch(text, /\n{3}|\0/)
        assert.equal(textOfHtml(parts.join('')) ?? 'a\n', text)
      },
    ),
  )
})

const hostile: Record<string, (size: number) => string> = {
  quotations: (size) => '<blockquote>'.repeat(290) + '<p>x'.repeat(size / 4),
  lists: (size) => '<ul><li>'.repeat(size / 20) + 'a<br>'.repeat(size / 8),
  elements: (size) => '<b>'.repeat(size / 3),
  'elements and ends of others': (size) => '<b>'.repeat(size / 6) + '<i></i></u>'.repeat(size / 22),
  'elements and ends of none': (size) => '<b>'.repeat(size / 6) + '</x>'.repeat(size / 8),
  'entries in elements': (size) =>
    '<li>' + '<b>'.repeat(size / 6) + '<ul><li>a<li>b</ul>'.repeat(size / 38),
  'hidden elements that never end': (size) => '<div style=display:none>'.repeat(size / 24),
  'hidden paragraphs': (size) => '<p style=display:none>x'.repeat(size / 23),
  'hidden cells': (size) => '<table><td style=display:none>x'.repeat(size / 31),
  links: (size) => '<a href=http://a.b/>x</a>'.repeat(size / 25),
  attributes: (size) =>
    `<a ${Array.from({ length: size / 7 }, (_, index) => `x${index}`).join(' ')}>`,
  characters: (size) => Array.from({ length: size / 8 }, (_, index) => `&#${index};`).join(''),
}

for (const [what, make] of Object.entries(hostile)) {
  test(`400,000 characters of ${what}: a text of at most ten times that, and four times the cost of 100,000`, () => {
    const whole = make(400_000)
    assert.ok(whole.length > 350_000, `${whole.length}`)
    assert.ok((textOfHtml(whole)?.length ?? 0) < 10 * whole.length)
    assertLinear(what, 100_000, (size) => textOfHtml(make(size)))
  })
}
