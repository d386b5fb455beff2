/**
 * The generated documents in `docs/` are what the contract gives today; `npm run docs` writes them.
 */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { documents } from '../../src/contract/write-docs.ts'

for (const [path, content] of Object.entries(documents())) {
  test(`${path} is current`, async () => {
    const written = await readFile(new URL(`../../${path}`, import.meta.url), 'utf8')
    assert.ok(written === content, `${path} is stale: run npm run docs`)
  })
}
