/**
 * A caller's html that is tracked: links and pixel are put in, and not one other character changes.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { assertLinear } from '../../support/linear.ts'
import { linksOf, trackHtml } from '../../../src/mail/html/track-html.ts'

const tracked = (html: string): string =>
  trackHtml(html, {
    linkAddress: (index) => `https://t.test/${index}`,
    pixelAddress: 'https://t.test/o',
  })
const pixel = '<img src="https://t.test/o" width="1" height="1" alt="" style="border:0">'

test('http and https links are replaced in place, with any quotes; all else stays', () => {
  const html =
    "<HTML>\r\n<body class=x>\r\n<A data-n='1' HREF=\"https://a.test/?x=1&amp;y=2\">A</A> <a href=http://b.test>b</a> <area href='https://c.test/'>" +
    '<a href="mailto:x@y.test">m</a> <a href="#top">t</a> <a href="/path">p</a> <a name="https://no.test">n</a></body>\r\n</HTML>'
  assert.deepEqual(linksOf(html), ['https://a.test/?x=1&y=2', 'http://b.test', 'https://c.test/'])
  assert.equal(
    tracked(html),
    '<HTML>\r\n<body class=x>\r\n<A data-n=\'1\' href="https://t.test/0">A</A> <a href="https://t.test/1">b</a> <area href="https://t.test/2">' +
      `<a href="mailto:x@y.test">m</a> <a href="#top">t</a> <a href="/path">p</a> <a name="https://no.test">n</a>${pixel}</body>\r\n</HTML>`,
  )
})

test('a text that only looks like a link stays: comments, styles, scripts, text areas', () => {
  const link = '<a href="https://a.test">'
  for (const html of [
    `<!-- ${link} -->`,
    `<style>${link}</style>`,
    `<script>${link}</script>`,
    `<textarea>${link}</textarea>`,
    `<title>${link}</title>`,
  ]) {
    assert.deepEqual(linksOf(html), [], html)
    assert.deepEqual(linksOf(`${html}${link}`), ['https://a.test'], html)
  }
})

test('without a body the pixel is the end; of opens alone links stay; of clicks alone there is no pixel', () => {
  const html = '<p><a href="https://a.test">a</a>'
  assert.equal(tracked(html), `<p><a href="https://t.test/0">a</a>${pixel}`)
  assert.equal(
    trackHtml(html, { linkAddress: null, pixelAddress: 'https://t.test/o' }),
    html + pixel,
  )
  assert.equal(
    trackHtml(html, { linkAddress: (index) => `L${index}`, pixelAddress: null }),
    '<p><a href="L0">a</a>',
  )
})

test('any html: as many links as were found, and nothing else is touched', () => {
  const piece = fc.constantFrom(
    '<a href="https://a.test">',
    '</a>',
    '<p ',
    '>',
    "'",
    '"',
    '<!--',
    '-->',
    '<b>',
    '\r\n',
    'é',
    '<',
    '/',
    '</body>',
    '<svg>',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const html = pieces.join('')
      const links = linksOf(html)
      const changed = trackHtml(html, {
        linkAddress: (index) => `https://t.test/${index}`,
        pixelAddress: null,
      })
      assert.equal(linksOf(changed).length, links.length)
      assert.equal(
        changed.replaceAll(/href="https:\/\/t\.test\/\d+"/g, 'href="https://a.test"'),
        html,
      )
    }),
  )
})

test('formatting that is never closed costs no more than its length', () => {
  assertLinear('links', 2_500, (length) => {
    assert.equal(linksOf('<a href="https://a.test"><b><i>'.repeat(length)).length, length)
  })
})
