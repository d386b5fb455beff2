/**
 * Folders that a user names: made where they can be, refused in moments where they cannot, and
 * compared by where links lead.
 */
import assert from 'node:assert/strict'
import { mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { FileError, fileError } from '../../src/ground/file-error.ts'
import { isInFolder, makeFolder } from '../../src/ground/make-folder.ts'
import { OperatorError } from '../../src/ground/operator-error.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'

const folder = makeTemporaryFolder('folders')

test('a folder is made with those above it, and left as it is where it exists', () => {
  const deep = join(folder, 'a', 'b', 'c')
  assert.deepEqual([makeFolder(deep, 0o700), makeFolder(deep, 0o711)], [true, false])
  for (const path of [deep, join(folder, 'a')])
    assert.equal(statSync(path).mode & 0o777, 0o700, path)
})

test('a file on the way, and a file system that makes no folders, end it at once', () => {
  writeFileSync(join(folder, 'file'), '')
  assert.throws(() => makeFolder(join(folder, 'file', 'inner'), 0o700), { code: 'ENOTDIR' })
  assert.throws(() => makeFolder(join(folder, 'file'), 0o700), { code: 'EEXIST' })
  for (const path of ['/proc/facteur', '/proc/facteur/deep/er'])
    assert.throws(() => makeFolder(path, 0o700), { code: 'ENOENT' })
})

test('whether a folder lies in another one, there or not, through links too', () => {
  const [data, link] = [join(folder, 'data'), join(folder, 'link')]
  mkdirSync(join(data, '..inner'), { recursive: true })
  symlinkSync(data, link)
  for (const inner of [
    data,
    `${data}/`,
    join(data, 'x', 'y'),
    join(data, '..inner'),
    join(link, 'x'),
    link,
  ])
    assert.ok(isInFolder(inner, data), inner)
  assert.ok(isInFolder(join(data, 'x'), link))
  for (const outer of [folder, `${data}-2`, join(data, '..', 'other'), join(link, '..', 'data-2')])
    assert.ok(!isInFolder(outer, data), outer)
})

test('an error of the system names the place and the reason; others pass as they are', async () => {
  const missing: unknown = await readFile(join(folder, 'none')).catch((error: unknown) => error)
  const reported = fileError('/backups', 'read', missing)
  assert.ok(reported instanceof FileError && reported.cause === missing)
  assert.equal(
    reported.message,
    '/backups cannot be read: it is not there, and cannot be made (ENOENT).',
  )
  for (const other of [new Error('ENOENT'), new OperatorError('no'), 'no'])
    assert.equal(fileError('/backups', 'read', other), other)
})
