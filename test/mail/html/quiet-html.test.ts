/**
 * A mail in our frame: all of it but the parts that would run, lead elsewhere, or send a request.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertLinear } from '../../support/linear.ts'
import { isDataPicture } from '../../../src/mail/html/data-picture.ts'
import { quietHtml } from '../../../src/mail/html/quiet-html.ts'
import { quietStyle } from '../../../src/mail/html/quiet-style.ts'

const elsewhere = 'https://elsewhere.example/x.png'
const dot = 'data:image/gif;base64,R0lGODlhAQABAAAAACw='
/** A mail's own pictures alone, or those of others too. */
const own = (address: string): string | null => (isDataPicture(address) ? address : null)
const all = (address: string): string | null =>
  address.startsWith('https:') ? address : own(address)
const quiet = (html: string, pictureAt = own): string =>
  quietHtml(html, pictureAt).replace(/<style>:where[^<]*<\/style>/, '')

const taken: [what: string, given: string, left?: string][] = [
  ['a script', '<script>run()</script>'],
  ['a script that never ends', '<script>run()'],
  ['a tag that never ends', `<img alt="a" src="${elsewhere}`],
  ['a frame', '<iframe src="javascript:run()">in</iframe>'],
  ['a frame with a page in it', `<iframe srcdoc="<img src=${elsewhere}>"></iframe>`],
  [
    'drawings',
    `<svg onload="run()"><image href="${elsewhere}"/><a xlink:href="${elsewhere}">b</a></svg>`,
    '<a>b</a>',
  ],
  ['a style sheet of others', '<link rel="stylesheet" href="https://elsewhere.example/x.css">'],
  ['a refresh', '<meta http-equiv="refresh" content="0;url=https://elsewhere.example/">'],
  ['another base', '<base href="https://elsewhere.example/">'],
  ['an object', '<object data="https://elsewhere.example/x">b</object><embed src=x>', 'b'],
  [
    'films and sounds',
    `<video src=x poster="${elsewhere}">b<source src=x></video><audio src=x></audio>`,
    'b<source>',
  ],
  [
    'a form',
    `<form action="${elsewhere}"><input type=image src="${elsewhere}"><button formaction=x>b</button></form>`,
    '<button>b</button>',
  ],
  ['handlers', '<p onclick="run()" ONLOAD=run() autofocus>b</p>', '<p>b</p>'],
  [
    'a picture of others',
    `<img src="${elsewhere}" srcset="${elsewhere} 2x" lowsrc="${elsewhere}" alt="b">`,
    '<img alt="b">',
  ],
  [
    'a picture beside the page',
    '<img src="x.png"><img src=/o/token><img src=//elsewhere.example/x>',
    '<img><img><img>',
  ],
  [
    'a background of others',
    `<td background="${elsewhere}" style="background: url(${elsewhere}); color: red">b</td>`,
    '<td style="background: none; color: red">b</td>',
  ],
  [
    'a comment',
    `<!-- <img src=x> --><!--><b>c</b><!--[if mso]><img src=x><![endif]-->`,
    '<b>c</b>',
  ],
  [
    'a picture that cannot be one',
    '<img src="data:text/html,x"><img src="data:image/png;base64,@@@@@">',
    '<img><img>',
  ],
]
for (const [what, html, left = ''] of taken)
  test(`${what}: nothing of it is left`, () =>
    assert.equal(quiet(`<p>a</p>${html}`), `<p>a</p>${left}`))

test('a link shows its target, and leads nowhere but within the mail', () => {
  assert.equal(
    quiet(
      '<a href="https://shop.example/?a=1&amp;b=2" title="Win" target="_blank" ping="x">Go</a>',
    ),
    '<a title="https://shop.example/?a=1&amp;b=2" data-leads="">Go</a>',
  )
  assert.equal(
    quiet('<a href=" java&#10;script:run()">a</a>'),
    '<a title="java\nscript:run()" data-leads="">a</a>',
  )
  assert.equal(
    quiet('<a href="#top" target=_blank>a</a><map><area href=x></map>'),
    '<a href="#top">a</a><map><area title="x" data-leads=""></map>',
  )
})

test('the look of a mail stays: its doctype, its styles, its texts, its own pictures', () => {
  const page = `<!DOCTYPE html><html lang="fr"><head><title>a &amp; b</title><style>p { color: red } @media (min-width:1px) { p { margin: 0 } }</style></head><body bgcolor="#fff"><p class=x style='font-family: "Arial"'>1 < 2 &eacute; &lt;b&gt;</p><img src="${dot}"></body></html>`
  assert.equal(
    quiet(page),
    page
      .replace('class=x', 'class="x"')
      .replace(`'font-family: "Arial"'`, '"font-family: &quot;Arial&quot;"')
      .replace('1 < 2 &eacute;', '1 &lt; 2 é'),
  )
  assert.ok(quietHtml(page, own).startsWith('<!DOCTYPE html><style>'), 'browsers lay out by it')
})

test('no style sends a request, in any spelling', () => {
  const asks = [
    `@import "${elsewhere}"; p { color: red }`,
    `@\\69mport url(${elsewhere});`,
    `@font-face { font-family: f; src: url(${dot}) } `,
    `p { background: URL( "${elsewhere}" ) }`,
    `p { background: u\\72l(${elsewhere}) }`,
    `p { background: \\000075rl("${elsewhere}") }`,
    `p { background: image-set("${elsewhere}" 1x) }`,
    `p { background: url(${elsewhere} ) , url(x"${elsewhere}) }`,
    `p { --a: url(${elsewhere}); background: var(--a) }`,
    `p { content: "a\nb: url(${elsewhere})" }`,
    `p { background: url(cid:none) }`,
    `/* " */ p { background: url('${elsewhere}') }`,
  ]
  for (const css of asks) {
    const left = quietStyle(css, own)
    assert.doesNotMatch(left, /url\((?!")/i, left)
    assert.doesNotMatch(left, /@import|@font-face|(?<!-)image-set\(|url\("?(?:https|cid)/i, left)
  }
  assert.equal(
    quietStyle('p::before { content: "url(x) @import" }', own),
    'p::before { content: "url(x) @import" }',
  )
  assert.equal(
    quietStyle(`p { background: url(${dot}) ; filter: url(#f) }`, own),
    `p { background: url("${dot}") ; filter: url("#f") }`,
  )
  assert.equal(
    quiet('<style>(</sty/**/le><img src=x></style>'),
    String.raw`<style>(<\/sty le><img src=x></style>`,
  )
})

test('pictures from elsewhere load on request; nothing else does', () => {
  assert.equal(
    quiet(`<img src="${elsewhere}"><script src="${elsewhere}"></script>`, all),
    `<img src="${elsewhere}">`,
  )
  assert.equal(
    quiet(`<p style="background: url(${elsewhere})">a</p>`, all),
    `<p style="background: url(&quot;${elsewhere}&quot;)">a</p>`,
  )
  assert.equal(
    quiet(`<img srcset="${elsewhere} 2x"><img srcset="x 2x">`, all),
    `<img srcset="${elsewhere} 2x"><img>`,
  )
})

test('a megabyte that was made to be slow is read quickly', () => {
  assertLinear('attributes', 30_000, (length) => {
    quietHtml(`<p ${Array.from({ length }, (_, index) => `a${index}`).join(' ')}>`, own)
  })
  const slow: ((many: (piece: string) => string) => string)[] = [
    ...[
      '<b>',
      '<',
      '</',
      '<a href="x',
      `<p a='`,
      '<!--',
      '<!-->',
      '<style>',
      '</style',
      '&amp;',
      '<title>',
      '<p style="url(',
      ' ',
    ].map((piece) => (many: (piece: string) => string) => many(piece)),
    (many) => `<p ${many(' ')}`,
    ...['url(', '\\', '"', "'\\", '/*', '@', 'url("a', 'a', '\\61 '].map(
      (piece) => (many: (piece: string) => string) => `<style>${many(piece)}</style>`,
    ),
    (many) => `<p style="${many("url('x')")}">`,
    (many) => `<img src="data:image/png;base64,${many('A')}">`,
  ]
  for (const write of slow) {
    const html = (length: number): string =>
      write((piece) => piece.repeat(Math.ceil(length / piece.length)))
    assertLinear(html(20), 250_000, (length) => quietHtml(html(length), own))
  }
})
