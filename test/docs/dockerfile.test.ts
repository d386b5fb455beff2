/** The image runs what the Dockerfile's own steps put together. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

const dockerfile = readFileSync('Dockerfile', 'utf8')

test('the image starts by its command, as its user, and leaves npm out', () => {
  assert.match(dockerfile, /^ENTRYPOINT \["facteur"\]$/m)
  assert.match(dockerfile, /^RUN node bin\/image\.mjs \/image$/m)
  assert.match(dockerfile, /^USER node$/m)
})
