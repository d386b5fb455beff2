/** The pictures that a mail brings itself, in its html. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withOwnImages } from '../../../src/mail/mime/own-images.ts'

test('a picture stands wherever the html names it, until what it comes to would be too much for one page', () => {
  const large = { id: '<large@mail>', type: 'image/png', content: new Uint8Array(3_000_000) }
  const small = { id: 'small', type: 'image/gif', content: Uint8Array.of(1, 2, 3) }
  const html =
    '<img src="cid:large%40mail">'.repeat(60_000) + '<img src="cid:small"><img src=cid:unknown>'
  const shown = withOwnImages(html, [large, small])
  assert.ok(shown.length < 25_000_000, `${shown.length} characters`)
  assert.equal(shown.split('data:image/png;base64,').length - 1, 3)
  assert.equal(shown.split('cid:large%40mail').length - 1, 60_000 - 3)
  assert.ok(shown.endsWith('<img src="data:image/gif;base64,AQID"><img src=cid:unknown>'))
})
