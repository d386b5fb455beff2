/** Every guard that a failpoint takes out of a statement stands in one: else the broken variants would show nothing. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { guards } from '../../src/db/break-statements.ts'

const statements = globSync('src/db/*.ts')
  .filter((file) => !file.endsWith('break-statements.ts'))
  .map((file) => readFileSync(file, 'utf8'))

for (const [name, changes] of Object.entries(guards)) {
  test(`${name}: what it takes out stands in a statement of src/db`, () => {
    for (const [from] of changes)
      assert.ok(
        statements.some((text) => text.includes(from)),
        from,
      )
  })
}
