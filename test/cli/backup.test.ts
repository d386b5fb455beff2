/** `facteur backup` and `backup verify`: copies of a database that is in use, and the proof of each. */
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
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { createRowDigest } from '../../src/backup-files/row-digest.ts'
import { createSecrets } from '../../src/secrets.ts'
import { freshDatabase, runOn } from '../support/database.ts'
import { at } from '../support/json.ts'
import { programFile } from '../support/program.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { createOperator, insertWaiting, runProgram, type Said } from './facteur.ts'

const { url } = await freshDatabase()
const key = Buffer.alloc(32, 3)
const env = { DATABASE_URL: url, FACTEUR_MASTER_KEY: key.toString('base64') }
const operator = createOperator(env)
const folder = makeTemporaryFolder('backup')

test('refused before the first start: there is nothing to back up', async () => {
  await operator.refused(['backup', folder], { code: 'failed', exit: 1, message: /^There is nothing to back up/ })
  assert.deepEqual(readdirSync(folder), [])
})

test('a folder of backups: one of everything at one moment, the key apart, both for their owner only', async () => {
  await prepare()
  const made = await operator.json(['backup', folder])
  const name = String(at(made, 'id'))
  assert.match(name, /^facteur-\d{8}T\d{6}Z$/)
  assert.deepEqual(readdirSync(folder).toSorted(), [name, `master-${createSecrets(key).fingerprint.slice(0, 8)}.key`])
  assert.deepEqual(
    [at(made, 'folder'), at(made, 'key_file')],
    [join(folder, name), join(folder, readdirSync(folder).toSorted()[1] ?? '')],
  )
  assert.equal(readFileSync(String(at(made, 'key_file')), 'utf8'), `${key.toString('base64')}\n`)
  assert.equal(statSync(String(at(made, 'key_file'))).mode & 0o777, 0o600)
  const files = readdirSync(join(folder, name))
  assert.ok(!files.includes('master.key'))
  for (const file of files) assert.equal(statSync(join(folder, name, file)).mode & 0o777, 0o600, file)
  const manifest = readFileSync(join(folder, name, 'manifest.json'))
  assert.equal(at(made, 'checksum'), createHash('sha256').update(manifest).digest('hex'))
  const [{ tables = 0 } = {}] = (
    await runOn(
      url,
      `select count(*)::int as tables from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`,
    )
  ).rows
  // All but the two lists of migrations, which the manifest holds, the identity of this very database, the two tables of a copy,
  // and the three of a workspace that moves.
  assert.equal(at(made, 'tables'), tables - 8)
})

/** Detached partitions, of which one was replaced. */
const detached = ['message_body_to_20260101', 'message_body_20260101_20260104_former']

test('a partition that was detached and not dropped yet is in no backup', async () => {
  for (const name of detached) await runOn(url, `create table ${name} (like message_body including all)`)
  const place = makeTemporaryFolder('backup')
  await operator.json(['backup', place])
  for (const name of detached) await runOn(url, `drop table ${name}`)
  const tables = tablesIn(join(place, nameIn(place)))
  assert.ok(tables.includes('message_body'))
  assert.deepEqual(
    tables.filter((name) => detached.includes(name)),
    [],
  )
})

test('verify: every row is restored and compared, the key is checked, nothing stays behind', async () => {
  const name = nameIn(folder)
  const before = readdirSync(folder).toSorted()
  const said = await operator.text(['backup', 'verify', join(folder, name)])
  assert.match(said, /can be restored: [\d ]+ rows of \d+ tables were loaded and read back/)
  // A partition of the source is one of the copy, so that its rows expire as before.
  const { partitions } = JSON.parse(readFileSync(join(folder, name, 'manifest.json'), 'utf8')) as {
    partitions: { name: string }[]
  }
  assert.ok(partitions.some(({ name: partition }) => partition === 'message_body_of_later'))
  assert.match(said, /The master key \(beside the backup\) is the one/)
  const manifest = readFileSync(join(folder, name, 'manifest.json'))
  assert.ok(said.includes(`SHA-256 of the manifest: ${createHash('sha256').update(manifest).digest('hex')}.`), said)
  assert.deepEqual(readdirSync(folder).toSorted(), before)
})

test('what killed runs left for a day is removed; a key of another installation in the environment is no fault, nor are detached partitions in the manifest', async () => {
  const name = nameIn(folder)
  const place = makeTemporaryFolder('left')
  const from = join(folder, name)
  mkdirSync(join(place, name))
  for (const file of readdirSync(from)) copyFileSync(join(from, file), join(place, name, file))
  const manifest = JSON.parse(readFileSync(join(from, 'manifest.json'), 'utf8')) as { tables: { name: string }[] }
  const bodies = manifest.tables.find((table) => table.name === 'message_body')
  manifest.tables.push(...detached.map((each) => ({ ...bodies, name: each })))
  writeFileSync(join(place, name, 'manifest.json'), JSON.stringify(manifest))
  const left = ['.facteur-verify-old', '.facteur-verify-new', 'facteur-20260101T000000Z.unfinished']
  for (const each of left) {
    mkdirSync(join(place, each))
    writeFileSync(join(place, each, 'alive'), '')
    const twoDaysAgo = new Date(Date.now() - 2 * 86_400_000)
    if (each === '.facteur-verify-new') continue
    for (const path of [join(place, each, 'alive'), join(place, each)]) utimesSync(path, twoDaysAgo, twoDaysAgo)
  }
  const other = createOperator({ DATABASE_URL: url, FACTEUR_MASTER_KEY: Buffer.alloc(32, 5).toString('base64') })
  assert.match(await other.text(['backup', 'verify', join(place, name)]), /The master key was not checked, since it is not here/)
  assert.deepEqual(readdirSync(place).toSorted(), ['.facteur-verify-new', name])
})

test('verify: a changed byte, a missing file, another key and another version are found', async () => {
  const name = nameIn(folder)
  const refuses = (place: string, message: RegExp): Promise<void> =>
    operator.refused(['backup', 'verify', place], { code: 'failed', exit: 1, message })
  const changed = copyOf(name, 'changed')
  const file = join(changed, 'message.copy.zst')
  const bytes = readFileSync(file)
  bytes[bytes.length - 2] = (bytes.at(-2) ?? 0) ^ 1
  writeFileSync(file, bytes)
  await refuses(changed, /is damaged: the bytes of message have another SHA-256/)
  await refuses(copyWithOtherRow(name), /workspace has 1 rows, or others, where its manifest says 1/)
  const short = copyOf(name, 'short')
  renameSync(join(short, 'workspace.copy.zst'), join(short, 'elsewhere'))
  await refuses(short, /is damaged: workspace\.copy\.zst is missing/)
  const later = copyOf(name, 'later')
  const manifest = JSON.parse(readFileSync(join(later, 'manifest.json'), 'utf8')) as { migrations: object[] }
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
  assert.match(await operator.text(['backup', 'verify', withKey]), /The master key \(in the archive\)/)
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
  for (const [place, reason] of [
    [join(file, 'inner'), /a part of its path is a file \(ENOTDIR\)/],
    [file, /there is something else of this name \(EEXIST\)/],
    // Making a folder on this file system fails with ENOENT, as opening an absent socket does.
    ['/proc/facteur/backups', /\(ENOENT\)/],
  ] as const) {
    await operator.refused(['backup', place], { code: 'failed', exit: 1, message: new RegExp(`^${place} cannot be made: .*`) })
    assert.match((await operator.run(['backup', place])).stderr, reason)
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
    const said = await runProgram(['-m', 'sh', '-c', script], env, null, 'unshare')
    assert.equal(said.code, 0, said.stderr)
    assert.match(
      said.stderr,
      /has [^,]+ free, and a backup may need [^:]+: make room, or name another disk\. Nothing was written\./,
    )
    assert.match(said.stdout.toString(), /Next: facteur backup verify|backup verify/)
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

test('digest of rows: the same in any order and in any pieces, another for other rows', () => {
  const header = Buffer.concat([Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1'), Buffer.alloc(8)])
  const row = (...fields: (string | null)[]): Buffer =>
    Buffer.concat([
      Buffer.of(0, fields.length),
      ...fields.map((field) => {
        const length = Buffer.alloc(4)
        length.writeInt32BE(field?.length ?? -1)
        return Buffer.concat([length, Buffer.from(field ?? '')])
      }),
    ])
  const digestOf = (rows: Buffer[], size: number) => {
    const bytes = Buffer.concat([header, ...rows, Buffer.of(0xff, 0xff)])
    const digest = createRowDigest()
    for (let from = 0; from < bytes.length; from += size) digest.add(bytes.subarray(from, from + size))
    return digest.end()
  }
  const rows = [row('a', null), row('bb', 'x'.repeat(1_000)), row('', '')]
  const whole = digestOf(rows, 10_000)
  assert.equal(whole.rows, 3)
  for (const size of [1, 2, 3, 7, 100]) assert.deepEqual(digestOf(rows.toReversed(), size), whole)
  assert.notEqual(digestOf([row('a', null), row('bb', null), row('', '')], 100).digest, whole.digest)
  assert.throws(() => {
    const digest = createRowDigest()
    digest.add(Buffer.concat([header, row('abc').subarray(0, 5)]))
    digest.end()
  })
})

/** A workspace with everything that has a shape of its own: texts, bytes, lists, JSON. */
async function prepare(): Promise<void> {
  await operator.json(['workspace', 'create', 'Acme'])
  await operator.json(['domain', 'add', '--workspace', 'acme', 'acme.test'])
  await operator.json(['key', 'create', '--workspace', 'acme', '--name', 'shop', '--scopes', 'emails:send'])
  for (const n of Array(50).keys()) await insertWaiting(url, '1', `é${n}@example.com`)
  await runOn(
    url,
    `create table message_body_of_later partition of message_body
     for values from ('7fffffff-0000-7000-8000-000000000000') to ('7fffffff-f000-7000-8000-000000000000')`,
  )
  await runOn(
    url,
    `insert into captured_mail (workspace_id, id, message_id, position, return_path, recipient, raw, captured_at)
    select 1, gen_random_uuid(), gen_random_uuid(), 0, '', 'a@b.test', decode(repeat('00ff', 3000000), 'hex'), facteur_now()`,
  )
}

const tablesIn = (backup: string): string[] =>
  (JSON.parse(readFileSync(join(backup, 'manifest.json'), 'utf8')) as { tables: { name: string }[] }).tables.map(
    ({ name }) => name,
  )

const nameIn = (place: string): string =>
  readdirSync(place).find((name) => /^facteur-\w+$/.test(name)) ?? assert.fail('no backup')

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
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as { tables: { name: string; pieces: number[]; sha256: string }[] }
  const table = manifest.tables.find((each) => each.name === 'workspace') ?? assert.fail('no table')
  Object.assign(table, { pieces: [bytes.length], sha256: createHash('sha256').update(bytes).digest('hex') })
  writeFileSync(path, JSON.stringify(manifest))
  return copy
}

/** By the headers of the archive, read as any tar does. */
function namesIn(archive: Said['stdout']): string[] {
  const names: string[] = []
  for (let from = 0; archive[from] !== 0;) {
    names.push(archive.toString('utf8', from, from + 100).split('\0')[0] ?? '')
    from += 512 + Math.ceil(Number.parseInt(archive.toString('utf8', from + 124, from + 135), 8) / 512) * 512
  }
  return names
}
