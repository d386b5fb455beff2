/** An author's HTML: what is left of it, and what never is. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parse } from 'parse5'
import { createMarkTable } from '../../../src/mail/merge/mark-table.ts'
import {
  HtmlProblem,
  sanitiseFragment,
  sanitisePage,
} from '../../../src/mail/html/sanitise-html.ts'
import { camille, templateOf, tokens } from '../../support/campaign-samples.ts'
import { assertLinear } from '../../support/linear.ts'

const safe = (html: string): string => sanitiseFragment(html, createMarkTable())

test('programs, forms, frames and handlers go, their texts stay where they are texts', () => {
  for (const [html, left] of [
    ['a<script>x()</script>b', 'ab'],
    ['<p onclick="x()" onfoo=y>a</p>', '<p>a</p>'],
    [
      '<form action="https://example.com"><input value=x>Name <button>Go</button></form>',
      'Name Go',
    ],
    ['<iframe src="https://example.com"></iframe><object data=x>y</object><embed src=x>z', 'z'],
    ['<svg onload=x><script>y</script></svg><math><mi href="javascript:x">m</mi></math>a', 'a'],
    ['<a href="javascript:x()">a</a>', '<a>a</a>'],
    ['<a href=" JaVa\tscr\nipt:x()">a</a>', '<a>a</a>'],
    ['<a href="&#106;avascript:x()">a</a>', '<a>a</a>'],
    ['<a href="data:text/html,x">a</a>', '<a>a</a>'],
    ['<img src="javascript:x">', '<img>'],
    ['<p style="width:expression(x())">a</p>', '<p>a</p>'],
    ['<p style="background:url(java\\73 cript:x())">a</p>', '<p>a</p>'],
    ['<style>p{behavior:url(x)}</style><style>p{color:red}</style>', '<style>p{color:red}</style>'],
    [
      '<noscript><p title="</noscript><img src=https://a.example/x onerror=y>"></noscript>a',
      '<img src="https://a.example/x">"&gt;a',
    ],
    ['<template><script>x</script></template>a<textarea></textarea><title>t</title>', 'a'],
    [
      '<!-- note --><!--[if mso]><b>o</b><![endif]--><!--[if mso]><script>x</script><![endif]-->',
      '<!--[if mso]><b>o</b><![endif]-->',
    ],
    ['<!--[if !mso]><!--><p>a</p><!--<![endif]-->', '<!--[if !mso]><!--><p>a</p><!--<![endif]-->'],
    [
      '<base href="https://evil.example"><link rel=stylesheet href="https://x.example/a.css"><meta http-equiv=refresh content="0">a',
      'a',
    ],
    ['<blink>a</blink><o:p>b</o:p>', 'ab'],
    ['<td bgcolor="#fff">cell</td>', '<td bgcolor="#fff">cell</td>'],
  ] as const) {
    assert.equal(safe(html), left, html)
  }
})

test('a conditional comment stays whole, in the one form that Outlook reads, or goes whole', () => {
  const forOthers = '<!--[if !mso]><!-->b<!--<![endif]-->'
  for (const [html, left] of [
    [
      '<!--[if mso]>a<![endif]--><!--[if !mso]><!-->b<!--<![endif]-->',
      `<!--[if mso]>a<![endif]-->${forOthers}`,
    ],
    ['<!--[IF MSO]>a<![ENDIF]-->', '<!--[if mso]>a<![endif]-->'],
    ['<!--[if gte MSO 9 | ie]>a<! [ endif ] -->', '<!--[if gte mso 9 | IE]>a<![endif]-->'],
    ['<!-- [ if\r\n(mso) ]\n>a<![endif]\n-->', '<!--[if (mso)]>a<![endif]-->'],
    [
      '<!--[if mso]><i class="btn--x">a -- b</i><![endif]-->',
      '<!--[if mso]><i class="btn--x">a -- b</i><![endif]-->',
    ],
    [
      '<!--[if mso]>a<![if gte mso 9]>c<![endif]><![endif]-->',
      '<!--[if mso]>a<![if gte mso 9]>c<![endif]><![endif]-->',
    ],
    // Openings and ends of parts for all others, as editors and beautifiers write them.
    ['<!--[if !mso]><!-- -->b<!-- <![endif]-->', forOthers],
    ['<!--[if !mso]><!---->b<!--<![endif]---->', forOthers],
    ['<!--[if !mso]>\n<!--\n-->b<!--\n<![endif]\n-->', forOthers],
    ['<!--[if !mso]><!--!>b<!--<![endif]--!>', forOthers],
    ['<!--[if !mso]>-->b<!--<![endif]-->', forOthers],
    ['<!--[if !mso]>b-->', ''],
    ['<![if !mso]>b<![endif]>', forOthers],
    ['<![IF !MSO]>b<![ENDIF]-->', forOthers],
    ['<!--[if !mso]><!-->b<!-- all others, end <![endif]-->', forOthers],
    ['<!--[if mso]> --!><img onerror=y> <![endif]-->', '<!--[if mso]><!--><img> <!--<![endif]-->'],
    // Without its partner Outlook would hide the rest, or read on in a part that it is not meant to
    // read.
    ['<!--[if !mso]><!-->b', 'b'],
    ['b<!--<![endif]-->', 'b'],
    ['<!--[if !mso]><!-->b<!--[endif]--><p>c</p>', 'b<p>c</p>'],
    ['<!--[if !supportLists]-->b<!--[endif]-->', 'b'],
    ['<!--[if mso]><!--><!--[if !mso]><!-->b<!--<![endif]-->', forOthers],
    ['<div><!--[if !mso]><!-->b</div><svg><!--<![endif]--></svg>', '<div>b</div>'],
    ['<!--[if mso]>a<!--[if gte mso 9]>c<![endif]-->b', 'b'],
    ['<!--[if mso]>a<![endif]>c-->b', 'b'],
    ['<!--[if mso; x]><!-->b<!--<![endif]-->', 'b'],
    ['<!--[if mso]>a-- ><script>x</script><![endif]-->b', 'b'],
  ] as const) {
    assert.equal(safe(html), left, html)
  }
  const page = '<head><!--[if !mso]><!--></head><body>b<!--<![endif]--></body>'
  assert.partialDeepStrictEqual(sanitisePage(page, createMarkTable()), { head: '', body: 'b' })
})

test('conditional comments and addresses in styles are read in time linear in their length', () => {
  for (const piece of [
    '<![if',
    '<!--[if',
    '<![endif]',
    '<! [',
    '-- ',
    '[if ',
    'url(',
    "url('",
    '"https:',
    'url( ',
    ' ',
  ])
    assertLinear(piece, 20_000, (length) =>
      safe(`<!--[if mso]>${piece.repeat(length / piece.length)}<![endif]-->`),
    )
})

test('a value within an address is percent-encoded, wherever in a mail the address stands', () => {
  const at = 'https://shop.example/a%20b?e={{email}}'
  const encoded = 'e=camille%2Bnews%40example.com'
  for (const html of [
    `<p style="background:url('${at}')">x</p>`,
    `<p style="background:url( ${at} )">x</p>`,
    `<style>p{background:url("${at}")}</style>`,
    `<!--[if mso]><v:roundrect href="${at}&n=1"></v:roundrect><![endif]-->`,
    `<!--[if mso]><v:fill type="frame" src='${at}'/><![endif]-->`,
    `<!--[if mso]><td style="background:url(${at})"><![endif]-->`,
    `<!--[if mso]><a href=${at}>x</a><![endif]-->`,
    '<!--[if mso]><a href="mailto:x@shop.example?subject=a b&amp;body=e={{email}}">x</a><![endif]-->',
    '<a href="sms:+15550100?body=e={{email}}">x</a>',
  ]) {
    const filled = templateOf({ html: `<p>x</p>${html}` }).renderHtml(
      { ...camille, email: 'camille+news@example.com' },
      null,
    )
    assert.ok(filled.includes(encoded), `${html} → ${filled}`)
  }
  const plain =
    '<!--[if mso]><p title="For {{email}}" style="font-family:\'{{email}}\'">{{email}}</p><![endif]-->'
  const filled = templateOf({ html: `<p>x</p>${plain}` }).renderHtml(
    { ...camille, email: 'a+b@example.com' },
    null,
  )
  assert.equal(filled.match(/a\+b@example\.com/g)?.length, 3)
})

test('links that an app opens stay as they are; a link or picture that no mail can hold goes, and is named', () => {
  for (const address of [
    ...[
      'webcal://shop.example/fair.ics',
      'whatsapp://send?text=Hi!',
      'sms:+15550100?body=Yes!',
      'tel:*21',
      'TEL:#31#',
    ],
    ...[
      'facetime:ann@shop.example',
      'geo:48.8,2.3',
      'tg://resolve?domain=shop',
      'viber://chat?number=1',
      'skype:shop?call',
    ],
  ]) {
    assert.equal(safe(`<a href="${address}">a</a>`), `<a href="${address}">a</a>`)
  }
  const table = createMarkTable()
  const html =
    '<a href="shop-app://{{email}}">a</a><a href="javascript:x">b</a><img src="cid:logo"><a href="shop-app://{{email}}">c</a>'
  assert.equal(sanitiseFragment(html, table), '<a>a</a><a>b</a><img><a>c</a>')
  assert.deepEqual(table.removed, ['shop-app://{{email}}', 'javascript:x', 'cid:logo'])
})

test('pictures that an address holds itself: the four types without programs stay, in base64; every other type goes', () => {
  const stored = ['image/png', 'image/gif', 'image/jpeg', 'image/webp', 'IMAGE/PNG']
  const gone = [
    ...[
      'image/svg+xml',
      'IMAGE/SVG+XML',
      'image/svg',
      'image/x-icon',
      'image/bmp',
      'image/avif',
      'image/tiff',
      'image/',
      'image/*',
    ],
    ...[
      'text/html',
      'text/xml',
      'text/plain',
      'text/css',
      'text/javascript',
      'application/xhtml+xml',
      'application/xml',
    ],
    ...['application/pdf', 'application/octet-stream', 'video/mp4', 'multipart/related', '', 'png'],
  ]
  for (const attribute of ['src', 'background']) {
    const tag = attribute === 'src' ? 'img' : 'table'
    const left = (address: string): boolean =>
      safe(`<${tag} ${attribute}="${address}">`).includes('data:')
    for (const type of stored) assert.ok(left(`data:${type};base64,AAAA`), `${attribute} ${type}`)
    for (const type of gone) assert.ok(!left(`data:${type};base64,AAAA`), `${attribute} ${type}`)
    // Outside base64, or with a parameter, a browser may read another type out of it.
    for (const rest of [
      'image/png,AAAA',
      'image/png;charset=utf-8;base64,AAAA',
      'image/png;base64,AA<svg>',
      'image/png;base64,AA,',
    ])
      assert.ok(!left(`data:${rest}`), `${attribute} ${rest}`)
  }
  // As a link, not even these.
  assert.equal(safe('<a href="data:image/png;base64,AAAA">a</a>'), '<a>a</a>')
})

test('any soup of dangerous pieces: parsed as a browser parses it, nothing of it is a program', () => {
  const pieces = fc.constantFrom(
    ...[
      '<script>',
      '</script>',
      '<style>',
      '</style>',
      '<svg>',
      '</svg>',
      '<math>',
      '<title>',
      '</title>',
      '<noscript>',
    ],
    ...[
      '<textarea>',
      '</textarea>',
      '<!--',
      '-->',
      '--!>',
      '<!--[if mso]>',
      '<![endif]-->',
      '<!--[if !mso]><!-->',
      '<![if !mso]>',
      '<table>',
      '<tr>',
      '<td>',
      '</table>',
    ],
    ...[
      '<img src="https://a.example/x" onerror=alert(1)>',
      '<a href="javascript:alert(1)">',
      '</a>',
      '"',
      "'",
      '>',
      '<',
      '&lt;',
      '&#60;',
    ],
    ...[
      '<iframe srcdoc="<script>x</script>">',
      '<mglyph>',
      '<mtext>',
      '<foreignObject>',
      '<p title="',
      '<template>',
      '<select>',
      '<xmp>',
    ],
    ...[
      '{{firstName}}',
      '<b ',
      'style="x',
      ' onload=x ',
      '/',
      'text',
      '\0',
      '<frameset>',
      '<body onload=x>',
      '<plaintext>',
      '<noembed>',
    ],
  )
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 25 }), (soup) => {
      const source = soup.join('')
      for (const html of [wholePage(source), fragment(source)]) {
        if (html !== null) assert.deepEqual(dangersIn(html), [], `${source} → ${html}`)
      }
    }),
    { numRuns: 2000 },
  )
})

const fragment = (source: string): string | null => orNull(() => safe(source))

const wholePage = (source: string): string | null =>
  orNull(() => {
    const { htmlAttributes, head, bodyAttributes, body } = sanitisePage(source, createMarkTable())
    return `<!DOCTYPE html><html${htmlAttributes}><head>${head}</head><body${bodyAttributes}>${body}</body></html>`
  })

function orNull(read: () => string): string | null {
  try {
    return read()
  } catch (error) {
    if (error instanceof HtmlProblem) return null
    throw error
  }
}

interface Node {
  nodeName: string
  attrs?: { name: string; value: string }[]
  childNodes?: Node[]
}

/**
 * Elements and attributes that could run or load something, in a new tree of the referee's parser.
 */
function dangersIn(html: string): string[] {
  const matches: string[] = []
  const open = ({ nodeName, attrs = [], childNodes = [] }: Node): void => {
    if (
      /^(?:script|iframe|object|embed|form|input|button|svg|math|link|base|template|noscript|frame|frameset)$/.test(
        nodeName,
      )
    )
      matches.push(nodeName)
    for (const { name, value } of attrs) {
      if (/^on|^srcdoc$|^formaction$/.test(name) || /^\s*(?:javascript|data:text)/i.test(value))
        matches.push(`${name}=${value}`)
    }
    childNodes.forEach(open)
  }
  open(parse(html, { scriptingEnabled: false }))
  open(parse(html, { scriptingEnabled: true }))
  return matches
}

test('a page keeps its look: attributes of html and body, styles, classes, pictures; the head is ours', () => {
  const template = templateOf({
    html:
      '<html lang="en" class="x"><head><title>Old</title><meta charset="latin1"><meta name="color-scheme" content="light"><style>.a{color:red}</style></head>' +
      '<body style="margin:0" bgcolor="#eee"><table width="600"><tr><td class="a" background="https://example.com/bg.png">Hi</td></tr></table></body></html>',
  })
  const html = template.renderHtml(null, null)
  assert.match(
    html,
    /^<!DOCTYPE html>\n<html lang="en" class="x">\n<head>\n<meta http-equiv="Content-Type"/,
  )
  assert.equal(html.match(/<title>/g)?.length, 1)
  for (const stored of [
    '<meta name="color-scheme" content="light">',
    '<style>.a{color:red}</style>',
    '<body style="margin:0" bgcolor="#eee">',
    '<td class="a" background="https://example.com/bg.png">Hi</td>',
  ]) {
    assert.ok(html.includes(stored), stored)
  }
  assert.equal(html.includes('latin1'), false)
})

test('the unsubscribe link is added when it is missing, and never twice; hidden in a comment it counts as missing', () => {
  const links = (html: string): number =>
    templateOf({ html })
      .renderHtml(camille, tokens)
      .match(/<a [^>]*href="https:\/\/mail\.example\.com\/unsubscribe\/U{64}"/g)?.length ?? 0
  assert.equal(links('<p>Hi</p>'), 1)
  assert.equal(links('<p>Hi <a href="{{unsubscribe_url}}">out</a></p>'), 1)
  assert.equal(links('<p>Hi</p><!--[if mso]><a href="{{unsubscribe_url}}">out</a><![endif]-->'), 2)
  const text = templateOf({ text: 'Out: {{unsubscribe_url}}' }).renderText(camille, tokens)
  assert.equal(text.match(/\/unsubscribe\//g)?.length, 1)
})

test('links are counted in their order, each address once; own links, mailto and anchors are not tracked', () => {
  const html = templateOf({
    html:
      '<a href="https://example.com/a">1</a><a href="mailto:x@example.com">2</a><a href="https://example.com/b?x=1&amp;y={{ email }}">3</a>' +
      '<a href="https://example.com/a">4</a><a href="#top">5</a><a href="{{view_url}}">6</a><a href="tel:+33 1">7</a>',
  }).renderHtml(camille, tokens)
  const hrefs = [...html.matchAll(/<a href="([^"]*)">\d/g)].map((match) =>
    match[1]?.replace('https://mail.example.com', ''),
  )
  const track = 'T'.repeat(64)
  assert.deepEqual(hrefs, [
    `/c/${track}/0`,
    'mailto:x@example.com',
    `/c/${track}/1`,
    `/c/${track}/0`,
    '#top',
    `/view/${tokens.view}`,
    'tel:+33 1',
  ])
})

test('without personal links: no token, no pixel, the author’s own addresses', () => {
  const template = templateOf({ html: '<a href="https://example.com/?e={{email}}">x</a>' })
  const html = template.renderHtml(null, null)
  assert.ok(html.includes('<a href="https://example.com/?e=">'))
  assert.equal(/[TUV]{64}|mail\.example\.com/.test(html + template.renderText(null, null)), false)
  assert.ok(template.fill(camille).bytes.toString().includes('/o/=\r\n'))
})
