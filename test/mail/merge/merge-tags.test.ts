/** Merge tags: what is read as one, what stands in its place, and where it may not stand. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { assertLinear } from '../../support/linear.ts'
import { validateLinkAddress, resolveLink } from '../../../src/mail/merge/content-address.ts'
import {
  mergeValue,
  readTags,
  writeTag,
  type MergeTag,
  type MergeValues,
} from '../../../src/mail/merge/merge-tags.ts'
import { anyText } from '../../support/arbitrary-message.ts'
import { camille, templateOf } from '../../support/campaign-samples.ts'

const nobody: MergeValues = { email: 'a@example.com', firstName: null, lastName: '', fields: {} }

test('every name, with spaces, with a default in either quotes, with entities for the quotes', () => {
  for (const [source, name, fallback] of [
    ['{{firstName}}', 'firstName', ''],
    ['{{ lastName }}', 'lastName', ''],
    ['{{email}}', 'email', ''],
    ['{{fields.shoe_size2}}', 'fields.shoe_size2', ''],
    ['{{unsubscribe_url}}', 'unsubscribe_url', ''],
    ['{{view_url}}', 'view_url', ''],
    ['{{firstName|default:"you"}}', 'firstName', 'you'],
    ['{{ firstName | default: \'a "b" }} c\' }}', 'firstName', 'a "b" }} c'],
    ['{{firstName | default: &quot;you&quot;}}', 'firstName', 'you'],
    ['{{&nbsp;firstName&nbsp;}}', 'firstName', ''],
  ] as const) {
    assert.deepEqual(
      readTags(`a${source}b`),
      [{ text: 'a' }, { tag: { name, fallback } }, { text: 'b' }],
      source,
    )
  }
})

test('anything else between braces is reported as it was written: unknown names, expressions, tags that do not end', () => {
  for (const source of [
    '{{name}}',
    '{{FirstName}}',
    '{{fields.City}}',
    '{{fields.a.b}}',
    '{{__proto__}}',
    '{{constructor}}',
    '{{fields.}}',
    '{{1+1}}',
    '{{firstName | upper}}',
    '{{firstName | default: you}}',
    '{{#if firstName}}',
    '{{{firstName}}}'.slice(0, -1),
    '{{',
    '{{ firstName',
    '{{}}',
  ]) {
    const pieces = readTags(source)
    assert.ok(
      pieces.some((piece) => 'malformed' in piece),
      `${source}: ${JSON.stringify(pieces)}`,
    )
  }
  assert.deepEqual(readTags('{ {firstName} } }}'), [{ text: '{ {firstName} } }}' }])
})

test('any text is cut into pieces that are the text, in time linear in it', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const sources = readTags(text).map((piece) =>
        'text' in piece ? piece.text : 'tag' in piece ? writeTag(piece.tag) : piece.malformed,
      )
      if (!text.includes('{{')) assert.deepEqual(sources.join(''), text)
    }),
  )
  for (const hostile of ['{{', '{{"', "{{'", '{{a', '{{{'])
    assertLinear(hostile, 25_000, (length) => readTags(hostile.repeat(length)))
})

test('a value is the subscriber’s own: no default where there is one, no property of a prototype, no control characters', () => {
  const tag = (name: MergeTag['name'], fallback = ''): MergeTag => ({ name, fallback })
  assert.equal(mergeValue(tag('firstName', 'you'), camille), 'Camille')
  assert.equal(mergeValue(tag('firstName', 'you'), nobody), 'you')
  assert.equal(mergeValue(tag('lastName', 'you'), nobody), 'you')
  assert.equal(mergeValue(tag('email', 'you'), null), 'you')
  for (const key of ['constructor', 'to_string', '__proto__', 'hasownproperty']) {
    assert.equal(mergeValue(tag(`fields.${key}`, 'none'), nobody), 'none')
  }
  assert.equal(
    mergeValue(tag('fields.constructor'), { ...nobody, fields: { constructor: 'Ford' } }),
    'Ford',
  )
  assert.equal(
    mergeValue(tag('firstName'), { ...nobody, firstName: 'A\r\nBcc: x\0\u202eB\u2028' }),
    'ABcc: xB',
  )
})

test('a value is never read again: tags and marks in it are text', () => {
  const template = templateOf({ text: 'Hi {{firstName}} and {{lastName}}.' })
  const text = template.renderText(
    { ...nobody, firstName: '{{email}}', lastName: '\ufdd0v0\ufdd1' },
    null,
  )
  assert.match(text, /^Hi \{\{email\}\} and \ufdd0v0\ufdd1\./)
})

test('an author’s own noncharacters pass for nothing', () => {
  const template = templateOf({
    text: 'A\ufdd0s\ufdd1B {{firstName}} \ufdd0v0\ufdd1',
    subject: 'S\ufdd0v0\ufdd1',
  })
  assert.match(template.renderText(camille, null), /^AsB Camille v0/)
  assert.equal(template.renderSubject(camille), 'Sv0')
})

test('in an address a value is one value: percent-encoded, for any text', () => {
  const contact = { ...nobody, firstName: "a&b=c/d?e#f g'h(i)é😀" }
  assert.equal(
    resolveLink('https://example.com/?n={{firstName}}&x=1', contact),
    'https://example.com/?n=a%26b%3Dc%2Fd%3Fe%23f%20g%27h%28i%29%C3%A9%F0%9F%98%80&x=1',
  )
  fc.assert(
    fc.property(anyText, (value) => {
      const link = new URL(
        resolveLink('https://example.com/a?n={{firstName}}#end', { ...nobody, firstName: value }),
      )
      assert.equal(`${link.origin}${link.pathname}${link.hash}`, 'https://example.com/a#end')
      assert.deepEqual([...link.searchParams.keys()], ['n'])
    }),
  )
})

test('a subscriber’s data chooses neither scheme nor host of a link', () => {
  for (const [address, rule] of [
    ['{{fields.site}}', 'merge_tag_in_host'],
    ['https://{{fields.host}}/', 'merge_tag_in_host'],
    ['https://example.com{{fields.port}}', 'merge_tag_in_host'],
    ['https://shop.{{fields.host}}/', 'merge_tag_in_host'],
    ['https://example.com/?u={{unsubscribe_url}}', 'merge_tag_alone'],
    ['javascript:alert(1)', 'scheme'],
    ['data:text/html,x', 'scheme'],
    ['ftp://example.com/', 'scheme'],
    ['/news', 'relative'],
    ['example.com/news', 'relative'],
    ['https://', 'address'],
    ['https:///x', 'address'],
    ['https://exa mple.com/', 'address'],
    [`https://example.com/${'x'.repeat(2000)}`, 'address'],
    ['https://example.com/{{fields.page}}', null],
    ['HTTPS://Example.com', null],
    ['mailto:a@example.com?subject={{firstName}}', null],
    ['{{unsubscribe_url}}', null],
    ['{{view_url}}', null],
  ] as const) {
    assert.equal(validateLinkAddress(address, 'link'), rule, address)
  }
  assert.equal(validateLinkAddress('mailto:a@example.com', 'image'), 'scheme')
  assert.equal(validateLinkAddress('{{view_url}}', 'image'), 'merge_tag_alone')
})
