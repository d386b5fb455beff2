/**
 * `facteur backup` and `backup verify`: copies of a database that is in use, and the proof of each.
 */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createRowDigest } from '../../src/database/transport/row-digest.ts'
import { createSecrets } from '../../src/ground/secrets.ts'
import { freshDatabase, runOn } from '../support/database.ts'
import { at } from '../support/json.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { createOperator, insertWaiting } from './facteur.ts'

const { url } = await freshDatabase()
const key = Buffer.alloc(32, 3)
const env = { DATABASE_URL: url, FACTEUR_MASTER_KEY: key.toString('base64') }
const operator = createOperator(env)
const folder = makeTemporaryFolder('backup')

test('refused before the first start: there is nothing to back up', async () => {
  await operator.refused(['backup', folder], {
    code: 'failed',
    exit: 1,
    message: /^There is nothing to back up/,
  })
  assert.deepEqual(readdirSync(folder), [])
})

test('a folder of backups: one of everything at one moment, the key apart, both for their owner only', async () => {
  await prepare()
  const created = await operator.json(['backup', folder])
  const name = String(at(created, 'id'))
  assert.match(name, /^facteur-\d{8}T\d{6}Z$/)
  assert.deepEqual(readdirSync(folder).toSorted(), [
    name,
    `master-${createSecrets(key).fingerprint.slice(0, 8)}.key`,
  ])
  assert.deepEqual(
    [at(created, 'folder'), at(created, 'key_file')],
    [join(folder, name), join(folder, readdirSync(folder).toSorted()[1] ?? '')],
  )
  assert.equal(readFileSync(String(at(created, 'key_file')), 'utf8'), `${key.toString('base64')}\n`)
  assert.equal(statSync(String(at(created, 'key_file'))).mode & 0o777, 0o600)
  const files = readdirSync(join(folder, name))
  assert.ok(!files.includes('master.key'))
  for (const file of files)
    assert.equal(statSync(join(folder, name, file)).mode & 0o777, 0o600, file)
  const manifest = readFileSync(join(folder, name, 'manifest.json'))
  assert.equal(at(created, 'checksum'), createHash('sha256').update(manifest).digest('hex'))
  const [{ tables = 0 } = {}] = (
    await runOn(
      url,
      `select count(*)::int as tables from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`,
    )
  ).rows
  // All but the two lists of migrations, which the manifest holds, the identity of this very
  // database, the two tables of a copy, the three of a workspace that moves, and what the last
  // clean-up failed at.
  assert.equal(at(created, 'tables'), tables - 9)
})

/** Detached partitions, of which one was replaced. */
const detached = ['message_body_to_20260101', 'message_body_20260101_20260104_former']

test('a partition that was detached and not dropped yet is in no backup', async () => {
  for (const name of detached)
    await runOn(url, `create table ${name} (like message_body including all)`)
  const path = makeTemporaryFolder('backup')
  await operator.json(['backup', path])
  for (const name of detached) await runOn(url, `drop table ${name}`)
  const tables = tablesIn(join(path, nameIn(path)))
  assert.ok(tables.includes('message_body'))
  assert.deepEqual(
    tables.filter((name) => detached.includes(name)),
    [],
  )
})

test('verify: every row is restored and compared, the key is checked, nothing stays behind', async () => {
  const name = nameIn(folder)
  const before = readdirSync(folder).toSorted()
  const output = await operator.text(['backup', 'verify', join(folder, name)])
  assert.match(output, /can be restored: [\d ]+ rows of \d+ tables were loaded and read back/)
  // A partition of the source is one of the copy, so that its rows expire as before.
  const { partitions } = JSON.parse(readFileSync(join(folder, name, 'manifest.json'), 'utf8')) as {
    partitions: { name: string }[]
  }
  assert.ok(partitions.some(({ name: partition }) => partition === 'message_body_of_later'))
  assert.match(output, /The master key \(beside the backup\) is the one/)
  const manifest = readFileSync(join(folder, name, 'manifest.json'))
  assert.ok(
    output.includes(
      `SHA-256 of the manifest: ${createHash('sha256').update(manifest).digest('hex')}.`,
    ),
    output,
  )
  assert.deepEqual(readdirSync(folder).toSorted(), before)
})

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
    for (let from = 0; from < bytes.length; from += size)
      digest.add(bytes.subarray(from, from + size))
    return digest.end()
  }
  const rows = [row('a', null), row('bb', 'x'.repeat(1_000)), row('', '')]
  const whole = digestOf(rows, 10_000)
  assert.equal(whole.rows, 3)
  for (const size of [1, 2, 3, 7, 100]) assert.deepEqual(digestOf(rows.toReversed(), size), whole)
  assert.notEqual(
    digestOf([row('a', null), row('bb', null), row('', '')], 100).digest,
    whole.digest,
  )
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
  (
    JSON.parse(readFileSync(join(backup, 'manifest.json'), 'utf8')) as {
      tables: { name: string }[]
    }
  ).tables.map(({ name }) => name)

const nameIn = (path: string): string =>
  readdirSync(path).find((name) => /^facteur-\w+$/.test(name)) ?? assert.fail('no backup')
