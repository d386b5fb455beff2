/**
 * A backup that is damaged, cut off or of another key is named; as one archive; what killed runs
 * left.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { freshDatabase, runOn } from '../support/database.ts'
import { at } from '../support/json.ts'
import { programFile } from '../support/program.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { createOperator, insertWaiting, runProgram, type CommandResult } from './facteur.ts'

const { url } = await freshDatabase()
const key = Buffer.alloc(32, 3)
const env = { DATABASE_URL: url, FACTEUR_MASTER_KEY: key.toString('base64') }
const operator = createOperator(env)
const folder = makeTemporaryFolder('backup')
await operator.json(['workspace', 'create', 'Acme'])
await operator.json(['domain', 'add', '--workspace', 'acme', 'acme.test'])
await operator.json([
  'key',
  'create',
  '--workspace',
  'acme',
  '--name',
  'shop',
  '--scopes',
  'emails:send',
])
for (const n of Array(50).keys()) await insertWaiting(url, '1', `é${n}@example.com`)
await runOn(
  url,
  `insert into captured_mail (workspace_id, id, message_id, position, return_path, recipient, raw, captured_at)
  select 1, gen_random_uuid(), gen_random_uuid(), 0, '', 'a@b.test', decode(repeat('00ff', 3000000), 'hex'), facteur_now()`,
)
await operator.json(['backup', folder])

const nameIn = (path: string): string =>
  readdirSync(path).find((name) => /^facteur-\w+$/.test(name)) ?? assert.fail('no backup')

/** Detached partitions, of which one was replaced. */
const detached = ['message_body_to_20260101', 'message_body_20260101_20260104_former']

test('what killed runs left for a day is removed; a key of another installation in the environment is no fault, nor are detached partitions in the manifest', async () => {
  const name = nameIn(folder)
  const location = makeTemporaryFolder('left')
  const from = join(folder, name)
  mkdirSync(join(location, name))
  for (const file of readdirSync(from)) copyFileSync(join(from, file), join(location, name, file))
  const manifest = JSON.parse(readFileSync(join(from, 'manifest.json'), 'utf8')) as {
    tables: { name: string }[]
  }
  const bodies = manifest.tables.find((table) => table.name === 'message_body')
  manifest.tables.push(...detached.map((each) => ({ ...bodies, name: each })))
  writeFileSync(join(location, name, 'manifest.json'), JSON.stringify(manifest))
  const left = ['.facteur-verify-old', '.facteur-verify-new', 'facteur-20260101T000000Z.unfinished']
  for (const each of left) {
    mkdirSync(join(location, each))
    writeFileSync(join(location, each, 'alive'), '')
    const twoDaysAgo = new Date(Date.now() - 2 * 86_400_000)
    if (each === '.facteur-verify-new') continue
    for (const path of [join(location, each, 'alive'), join(location, each)])
      utimesSync(path, twoDaysAgo, twoDaysAgo)
  }
  const other = createOperator({
    DATABASE_URL: url,
    FACTEUR_MASTER_KEY: Buffer.alloc(32, 5).toString('base64'),
  })
  assert.match(
    await other.text(['backup', 'verify', join(location, name)]),
    /The master key was not checked, since it is not here/,
  )
  assert.deepEqual(readdirSync(location).toSorted(), ['.facteur-verify-new', name])
})

test('verify: a changed byte, a missing file, another key and another version are found', async () => {
  const name = nameIn(folder)
  const refuses = (path: string, message: RegExp): Promise<void> =>
    operator.refused(['backup', 'verify', path], { code: 'failed', exit: 1, message })
  const changed = copyOf(name, 'changed')
  const file = join(changed, 'message.copy.zst')
  const bytes = readFileSync(file)
  bytes[bytes.length - 2] = (bytes.at(-2) ?? 0) ^ 1
  writeFileSync(file, bytes)
  await refuses(changed, /is damaged: the bytes of message have another SHA-256/)
  await refuses(
    copyWithOtherRow(name),
    /workspace has 1 rows, or others, where its manifest says 1/,
  )
  const short = copyOf(name, 'short')
  renameSync(join(short, 'workspace.copy.zst'), join(short, 'elsewhere'))
  await refuses(short, /is damaged: workspace\.copy\.zst is missing/)
  const later = copyOf(name, 'later')
  const manifest = JSON.parse(readFileSync(join(later, 'manifest.json'), 'utf8')) as {
    migrations: object[]
  }
  manifest.migrations.push({ name: '9999_of_tomorrow.sql', hash: '' })
  writeFileSync(join(later, 'manifest.json'), JSON.stringify(manifest))
  await refuses(later, /is of a newer version of Facteur .*9999_of_tomorrow/)
  await refuses(folder, /is no backup: it has no manifest\.json/)
  const wrong = join(folder, 'wrong.key')
  writeFileSync(wrong, Buffer.alloc(32, 4).toString('base64'))
  await operator.refused(['backup', 'verify', join(folder, name), '--key', wrong], {
    ...{ code: 'failed', exit: 1, message: /^This is not the master key of / },
  })
})

test('to standard output: one archive without the key, with it where asked; tar reads it, verify proves it', async () => {
  const plain = await operator.run(['backup', '-'])
  assert.equal(plain.code, 0, plain.stderr)
  assert.match(
    plain.stderr,
    /The archive does not hold the master key, and without it cannot be used: it is in FACTEUR_MASTER_KEY/,
  )
  const archive = join(folder, 'plain.tar')
  writeFileSync(archive, plain.stdout)
  const names = namesIn(plain.stdout)
  assert.ok(
    names.some((name) => /^facteur-\w+\/message\.000001\.copy\.zst$/.test(name)),
    names.join(),
  )
  assert.ok(!names.some((name) => name.endsWith('.key')))
  const whole = await operator.run(['backup', '-', '--with-key', '--json'])
  assert.equal(at(JSON.parse(whole.stderr), 'with_key'), true)
  assert.ok(namesIn(whole.stdout).some((name) => name.endsWith('/master.key')))
  const withKey = join(folder, 'whole.tar')
  writeFileSync(withKey, whole.stdout)
  assert.match(
    await operator.text(['backup', 'verify', withKey]),
    /The master key \(in the archive\)/,
  )
  const cut = join(folder, 'cut.tar')
  writeFileSync(cut, plain.stdout.subarray(0, plain.stdout.length / 2))
  await operator.refused(['backup', 'verify', cut], {
    code: 'failed',
    exit: 1,
    message: /it has no manifest\.json, so it was not written/,
  })
})

test('a folder that cannot be made, and an output that takes no more, are named; neither is taken for the database', async () => {
  const file = join(folder, 'a-file')
  writeFileSync(file, '')
  for (const [path, reason] of [
    [join(file, 'inner'), /a part of its path is a file \(ENOTDIR\)/],
    [file, /there is something else of this name \(EEXIST\)/],
    // Making a folder on this file system fails with ENOENT, as opening an absent socket does.
    ['/proc/facteur/backups', /\(ENOENT\)/],
  ] as const) {
    await operator.refused(['backup', path], {
      code: 'failed',
      exit: 1,
      message: new RegExp(`^${path} cannot be made: .*`),
    })
    assert.match((await operator.run(['backup', path])).stderr, reason)
  }
  const full = await runProgram(
    ['-c', 'exec "$0" "$@" > /dev/full', process.execPath, programFile, 'backup', '-'],
    env,
    null,
    'sh',
  )
  assert.deepEqual(
    [full.code, full.stderr],
    [1, 'The archive on standard output cannot be written: the disk is full (ENOSPC).\n'],
  )
  rmSync(file)
})

const hasOwnDisk = spawnSync('unshare', ['-m', 'true']).status === 0

test(
  'room: a small disk is refused by the size of the tables, and enough once a backup has shown how small they become',
  {
    skip: !hasOwnDisk && 'needs a mount of its own',
  },
  async () => {
    const disk = makeTemporaryFolder('small-disk')
    const backup = `"${process.execPath}" "${programFile}" backup "${disk}"`
    const size = await tablesSize()
    const script = `mount -t tmpfs -o size=${Math.floor(size / 2)} none "${disk}" && ! ${backup} && cp -r "${join(folder, nameIn(folder))}" "${disk}" && ${backup}`
    const output = await runProgram(['-m', 'sh', '-c', script], env, null, 'unshare')
    assert.equal(output.code, 0, output.stderr)
    assert.match(
      output.stderr,
      /has [^,]+ free, and a backup may need [^:]+: make room, or name another disk\. Nothing was written\./,
    )
    assert.match(output.stdout.toString(), /Next: facteur backup verify|backup verify/)
  },
)

/** As a backup sees it. */
async function tablesSize(): Promise<number> {
  const { rows } = await runOn(
    url,
    `select sum(pg_table_size(oid))::float8 as bytes from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`,
  )
  return Number(rows[0]?.bytes)
}

function copyOf(name: string, other: string): string {
  const [from, to] = [join(folder, name), join(makeTemporaryFolder('backup'), other)]
  mkdirSync(to)
  for (const file of readdirSync(from)) copyFileSync(join(from, file), join(to, file))
  return to
}

/** One row is another, and the SHA-256 is that of the file: only the digest of the rows tells. */
function copyWithOtherRow(name: string): string {
  const copy = copyOf(name, 'other-row')
  const [file, path] = [join(copy, 'workspace.copy.zst'), join(copy, 'manifest.json')]
  const rows = zstdDecompressSync(readFileSync(file))
  rows.write('Acmf', rows.indexOf('Acme'))
  const bytes = zstdCompressSync(rows)
  writeFileSync(file, bytes)
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as {
    tables: { name: string; pieces: number[]; sha256: string }[]
  }
  const table = manifest.tables.find((each) => each.name === 'workspace') ?? assert.fail('no table')
  Object.assign(table, {
    pieces: [bytes.length],
    sha256: createHash('sha256').update(bytes).digest('hex'),
  })
  writeFileSync(path, JSON.stringify(manifest))
  return copy
}

/** By the headers of the archive, read as any tar does. */
function namesIn(archive: CommandResult['stdout']): string[] {
  const names: string[] = []
  for (let from = 0; archive[from] !== 0;) {
    names.push(archive.toString('utf8', from, from + 100).split('\0')[0] ?? '')
    from +=
      512 +
      Math.ceil(Number.parseInt(archive.toString('utf8', from + 124, from + 135), 8) / 512) * 512
  }
  return names
}
