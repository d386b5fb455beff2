/** The image runs what `npm start` runs. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { serviceFlags } from '../../bin/flags.mjs'

test('the image starts the service with the flags that npm start gives it', () => {
  const entrypoint = /^ENTRYPOINT (\[.+\])$/m.exec(readFileSync('Dockerfile', 'utf8'))?.[1] ?? '[]'
  assert.deepEqual(JSON.parse(entrypoint), ['node', ...serviceFlags, 'src/main.ts'])
})
