/** Every value in a page is text to every reader. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { html } from '../../src/ground/html.ts'

test('a value is escaped in text and in attributes; a piece of a page and a list of them are not', () => {
  const list = ['<i>', 'b'].map((text) => html`<li>${text}</li>`)
  assert.equal(
    html`<p title="${'"><script>'}">${"&<>'`"}${list}${null}${false}${0}</p>`.markup,
    '<p title="&#34;&#62;&#60;script&#62;">&#38;&#60;&#62;&#39;&#96;<li>&#60;i&#62;</li><li>b</li>0</p>',
  )
})

test('no text opens a tag, ends an attribute or begins an entity', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const { markup } = html`${text}`
      assert.doesNotMatch(markup, /[<>"'`\0]|&(?!#\d+;)/)
      assert.ok(markup.isWellFormed())
    }),
  )
})

test('control characters and halves of a character are shown as what cannot be shown', () => {
  assert.equal(html`${'a\u0000\u001b\u0085\ud800b'}`.markup, 'a\ufffd\ufffd\ufffd\ufffdb')
})
