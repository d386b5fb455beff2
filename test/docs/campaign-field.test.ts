/**
 * The list of files that a campaign field costs, as CONTRIBUTING shows it by the internal note: it
 * is whole, and short.
 */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '..', '..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')

/**
 * Folders with files written by hand; the documents that derive from the contract and the client
 * are among them, and do not know the note.
 */
const everywhere = globSync(
  [
    '{src,web,migrations,test,client/src,bin,bench}/**/*.{ts,tsx,json,sql}',
    '*.md',
    'docs/**/*.{md,json}',
  ],
  {
    cwd: root,
  },
)

test('the files that name the internal note are those of the list, and at most ten', () => {
  const section = /^## A campaign field$([^]*?)^## /m.exec(read('CONTRIBUTING.md'))?.[1] ?? ''
  const entries = section.split('\n').filter((line) => line.startsWith('- '))
  const listed = entries.flatMap((line) =>
    [...line.matchAll(/`([\w/.-]+\.\w+)`/g)].map(([, path = '']) => path),
  )
  const own = new Set([
    ...['CONTRIBUTING.md', 'test/docs/campaign-field.test.ts'],
    // The catalog, as `npm run docs` writes it.
    'src/database/schema/schema.sql',
  ])
  const naming = everywhere.filter(
    (path) => !own.has(path) && /internal[ _-]?note/i.test(read(path)),
  )
  assert.deepEqual(listed.toSorted(), naming.toSorted())
  assert.ok(listed.length <= 10, listed.join('\n'))
})
