/** docs/smtp.md says of each program what the tests have found, and no more. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { pageFile, programResults, programsPart, titles } from './program-results.ts'

test('docs/smtp.md has what was found of each program', () => {
  const page = readFileSync(pageFile, 'utf8')
  const part = /^## Programs\n[\s\S]*?(?=\n## )/m.exec(page)?.[0]
  assert.equal(part, programsPart(programResults()), 'UPDATE_PROGRAMS=1 writes it again')
})

test('a program that was not played stays in the table', () => {
  const rows = programsPart({})
    .split('\n')
    .slice(-Object.keys(titles).length - 1, -1)
  assert.deepEqual(
    rows.map((row) => [
      row.split(' | ')[0]?.slice(2),
      new Set(row.slice(2, -2).split(' | ').slice(1)),
    ]),
    Object.values(titles).map((title) => [title, new Set(['not played'])]),
  )
})
