/** The tables of docs/domains.md about receivers are those of the code. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import {
  complianceRequirements,
  demands,
  receiverRules,
  mailReceivers,
} from '../../src/contract/compliance.ts'

const text = readFileSync('docs/domains.md', 'utf8')

test('each rule has its row, with who demands it', () => {
  for (const requirement of complianceRequirements) {
    const cells = mailReceivers.map((receiver) => demands[requirement][receiver] ?? '–')
    assert.ok(text.includes(`| \`${requirement}\` | ${cells.join(' | ')} | `), requirement)
  }
})

test('each receiver has the page of its rules, and since when they hold', () => {
  const rows = [...text.matchAll(/^\| (\w[\w ]*) \| <(\S+)> \| ([\d-]+) \|$/gm)].map(
    ([, , source, since]) => ({ source, since }),
  )
  assert.deepEqual(rows, Object.values(receiverRules))
})
