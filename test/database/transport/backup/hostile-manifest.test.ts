/**
 * A manifest that somebody wrote, or that a disk changed, ends in a sentence, before a name or a
 * number of it is used.
 */
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openBackup } from '../../../../src/database/transport/backup/backup-reader.ts'
import { readManifest } from '../../../../src/database/transport/backup/backup-manifest.ts'
import { OperatorError } from '../../../../src/ground/operator-error.ts'
import { makeTemporaryFolder } from '../../../support/temporary-folder.ts'

const table = {
  name: 'message',
  columns: ['id'],
  rows: 1,
  digest: 'ab',
  bytes: 10,
  pieces: [4],
  sha256: 'cd',
}
const partition = {
  ...{ table: 'feedback', name: 'feedback_20260101_20260201' },
  bound: "FOR VALUES FROM ('2026-01-01 00:00:00+00') TO ('2026-02-01 00:00:00+00')",
}
const manifest = {
  ...{
    format: 1,
    name: 'facteur-20261123T051553Z',
    facteur: '0.1.0',
    postgres: '18.1',
    takenAt: '2026-11-23T05:15:53.000Z',
  },
  ...{
    keyFingerprint: 'ab12',
    migrations: [{ name: '0001_ground.sql', hash: 'ab' }],
    tables: [table],
  },
  ...{
    partitions: [partition],
    sequences: [{ name: 'workspace_id_seq', value: 3, isCalled: true }],
  },
}

const readOf = (more: object): unknown =>
  readManifest(JSON.stringify({ ...manifest, ...more }), 'here')
const ofTable = (more: object): object => ({ tables: [{ ...table, ...more }] })

test('a manifest as a backup writes it is read', () => {
  assert.partialDeepStrictEqual(readOf({}), { name: manifest.name })
})

const hostile: [what: string, more: object][] = [
  ['a time that is none', { takenAt: '2026-13-45T99:00:00Z' }],
  ['a name that clears the screen', { name: '\u001B[2J' }],
  ['a version of two lines', { facteur: '1\nAll is well' }],
  ['a name of 10 MB', { keyFingerprint: 'a'.repeat(10_000_000) }],
  ['a table of a statement', ofTable({ name: 'message; drop table workspace' })],
  ['a table of a path', ofTable({ name: '../../etc/passwd' })],
  ['a table of 64 characters', ofTable({ name: 'a'.repeat(64) })],
  ['a table twice', { tables: [table, table] }],
  ['a negative piece', ofTable({ pieces: [-1] })],
  ['a piece of no number', ofTable({ pieces: ['4'] })],
  ['negative rows', ofTable({ rows: -1 })],
  ['more bytes than a number holds', ofTable({ bytes: 1e300 })],
  ['columns that are none', ofTable({ columns: [{}] })],
  ['a sequence beyond all', { sequences: [{ name: 'a', value: 1e300, isCalled: true }] }],
  ['a sequence whose state is a text', { sequences: [{ name: 'a', value: 1, isCalled: 'yes' }] }],
  [
    'a bound with a statement',
    { partitions: [{ ...partition, bound: "FOR VALUES FROM ('a;b') TO ('$(x)')" }] },
  ],
  ['migrations that are none', { migrations: [null] }],
  ['tables that are none', { tables: 'all' }],
]
for (const [what, more] of hostile)
  test(`${what}: refused in a sentence without it`, () => {
    assert.throws(
      () => readOf(more),
      (error: unknown) =>
        error instanceof OperatorError &&
        error.message === 'here has no manifest that can be read: it is no backup, or is damaged.',
    )
  })

test('a piece longer than its file, and a manifest of 65 MB: a sentence, before the memory is taken', async () => {
  const path = join(makeTemporaryFolder('hostile-manifest'), manifest.name)
  mkdirSync(path)
  const write = (text: string): void => writeFileSync(join(path, 'manifest.json'), text)
  writeFileSync(join(path, 'message.copy.zst'), 'four')
  write(JSON.stringify({ ...manifest, ...ofTable({ pieces: [Number.MAX_SAFE_INTEGER] }) }))
  const backup = await openBackup(path)
  await assert.rejects(backup.pieces('message').next(), /message\.copy\.zst is too short/)
  await backup.close()
  write(' '.repeat(65_000_000))
  await assert.rejects(openBackup(path), /its manifest\.json is too large/)
})
