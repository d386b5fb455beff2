/**
 * A disk that fills while a backup is written, and while one is restored: a sentence says how to go
 * on, and with room the same line ends it.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { reasonOf } from '../../src/database/embedded/full-disk.ts'
import { freshDatabase, runOn } from '../support/database.ts'
import { fillMessages } from '../support/filled-database.ts'
import { programFile } from '../support/program.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { createOperator, runProgram, type CommandResult } from './facteur.ts'

const skip =
  spawnSync('unshare', ['-m', 'true']).status === 0 ? false : 'skipped: needs a mount of its own'
const facteur = `"${process.execPath}" "${programFile}"`
const { url } = await freshDatabase()
const key = { FACTEUR_MASTER_KEY: Buffer.alloc(32, 7).toString('base64') }
const operator = createOperator({ ...key, DATABASE_URL: url })
await operator.json(['workspace', 'create', 'Acme'])
await operator.json(['domain', 'add', '--workspace', 'acme', 'acme.test'])
await fillMessages(url, 500)
const backups = makeTemporaryFolder('full-disk')
await operator.json(['backup', backups])
const backup = join(
  backups,
  readdirSync(backups).find((name) => name.startsWith('facteur-')) ?? assert.fail('no backup'),
)

/** Runs it where it sees a mount of its own. */
const runApart = (script: string, env: Record<string, string>): Promise<CommandResult> =>
  runProgram(['-m', 'sh', '-c', script], { ...key, ...env }, null, 'unshare')

test(
  'restore: while the database is made, while rows are loaded, and when the server starts again',
  { skip },
  async () => {
    const disk = makeTemporaryFolder('full-disk')
    const restore = `${facteur} restore "${backup}"`
    const output = await runApart(
      `mount -t tmpfs -o size=10m none "${disk}"
    ${restore} && exit 1; echo --- >&2; mount -o remount,size=70m "${disk}"
    ${restore} && exit 1; echo --- >&2
    ${restore} && exit 1; mount -o remount,size=900m "${disk}"
    ${restore} && ${facteur} workspace list`,
      { FACTEUR_DATA: join(disk, 'data') },
    )
    assert.equal(output.code, 0, output.stderr)
    const [making = '', loading = '', starting = ''] = output.stderr.split('---')
    assert.match(
      making,
      /^The database could not be made: the disk of \S+ is full\. Make room there, and run the command again: .*$/m,
    )
    assert.match(
      loading,
      /^The restore ended in its middle, since the disk of \S+ is full: the rows of this backup take .*\. Nothing of it is in use\. Make room there and give the same line again, or restore with FACTEUR_DATA on another disk\.$/m,
    )
    assert.match(
      starting,
      /^(?:The restore ended in its middle, since|The database did not start:) the disk of \S+ is full/m,
    )
    assert.match(output.stdout.toString(), /was restored[^]*acme/)
  },
)

test(
  'backup: nothing of it stays, the one before stays whole, and with room the next one is made',
  { skip },
  async () => {
    const disk = makeTemporaryFolder('full-disk')
    // The one before was small, and what came since cannot be made smaller.
    await runOn(
      url,
      `insert into captured_mail (workspace_id, id, message_id, position, return_path, recipient, raw, captured_at)
     select 1, gen_random_uuid(), gen_random_uuid(), 0, '', 'a@b.test', decode(string_agg(md5(n::text), ''), 'hex'), facteur_now()
     from generate_series(1, 300000) n`,
    )
    const output = await runApart(
      `mount -t tmpfs -o size=4m none "${disk}" && cp -r "${backup}" "${disk}"
    ${facteur} backup "${disk}" && exit 1; ls -A "${disk}"; diff -r "${backup}" "${disk}"/facteur-* || exit 1
    mount -o remount,size=40m "${disk}" && ${facteur} backup "${disk}"`,
      { DATABASE_URL: url },
    )
    assert.equal(output.code, 0, output.stderr)
    assert.match(output.stderr, /^\S+ cannot be written: the disk is full \(ENOSPC\)\.$/m)
    assert.equal(output.stdout.toString().split('\n')[0], basename(backup))
    assert.match(output.stdout.toString(), /^facteur-\w+\n\S+: [\s\d]+ rows of \d+ tables/)
  },
)

test('a full disk is read from what the server says, and another failure stays in its words', () => {
  const folder = makeTemporaryFolder('full-disk')
  for (const text of [
    'FATAL:  could not write to file "pg_wal/xlogtemp.1": No space left on device',
    'FATAL:  could not extend file "base/1/2691": wrote only 4096 of 8192 bytes at block 9',
  ])
    assert.equal(
      reasonOf(folder, text),
      `the disk of ${folder} is full. Make room there, and run the command again: ${text}`,
    )
  const other = 'FATAL:  data directory has invalid permissions'
  assert.equal(reasonOf(folder, other), other)
})
