/**
 * `npm test` and `npm run test:all` are together every test file once, and the lists of
 * test/tiers.ts name what exists.
 */
import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { test } from 'node:test'
import { emptyNames, filesOf } from './tiers.ts'

const files = globSync('test/**/*.test.ts').toSorted()

test('both tiers together are every file once', () => {
  assert.deepEqual([...filesOf('quick'), ...filesOf('rest')].toSorted(), files)
})

test('each name of a tier begins the path of a file', () => {
  assert.deepEqual(emptyNames(files), [])
  assert.notDeepEqual(emptyNames(files.filter((file) => !file.startsWith('test/faults/'))), [])
})
