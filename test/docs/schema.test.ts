/**
 * `schema.sql` shows every table as it is: what it says makes the same database, and the list of
 * tables in docs/tables.md follows it. The test of a copy to another version of PostgreSQL
 * (test/database/transport/copy-database.test.ts) compares the pages of both.
 */
import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import pg from 'pg'
import { entriesOf } from '../../src/database/schema/schema-page.ts'
import { cellCatalog, differences } from '../database/cells/cell-catalog.ts'
import { emptyDatabase, freshDatabase, runOn } from '../support/database.ts'
import { tablesFile, pageOf, schemaFile, withTables } from './write-schema.ts'

const { url } = await freshDatabase()
const catalogOf = async (at: string): Promise<string[]> => {
  const client = new pg.Client({ connectionString: at })
  await client.connect()
  try {
    return await cellCatalog(client, 'public')
  } finally {
    await client.end()
  }
}
const page = readFileSync(schemaFile, 'utf8')

test('the page is current: every table, and no partition of a time', async () => {
  assert.equal(await pageOf(url), page, 'it is stale: run npm run docs')
  assert.doesNotMatch(page, /_\d{8}\b/)
})

test('the list of tables in docs/tables.md is the one of the page', () => {
  const tables = readFileSync(tablesFile, 'utf8')
  assert.ok(withTables(tables, page) === tables, 'it is stale: run npm run docs')
  assert.match(tables, /^\| sending \| `recipient` \| .*\(\[states\]\(states\.md\)\)/m)
})

test('an empty database that the page makes has the same page', async (t) => {
  const created = await emptyDatabase(t)
  const [tables = '', functions = '', views = ''] = page.split(/^-- ==== (?:Functions|Former).*$/m)
  await runOn(created, `set check_function_bodies = off; ${functions} ${tables} ${views}`)
  assert.equal(await pageOf(created), page)
  // A second reader, of what the page may leave out. Names of `not null` are PostgreSQL 18's.
  const result = differences(await catalogOf(url), await catalogOf(created))
  const others = /_\d{8}\b|^[-+] constraint: \w+: \w+_not_null\d* n /
  assert.deepEqual(
    result.filter((line) => !others.test(line)),
    [],
  )
})

test('a room is a folder of src/db whose statements name its tables', () => {
  const textOf = (room: string): string =>
    globSync(`src/db/${room}/**/*.ts`)
      .map((path) => readFileSync(path, 'utf8'))
      .join('\n')
  for (const { room, name } of entriesOf(page)) {
    const [kind, table = ''] = name.split(' ')
    if (kind !== 'table' || room === 'database') continue
    assert.ok(existsSync(`src/db/${room}`), room)
    assert.ok(new RegExp(`\\b${table}\\b`).test(textOf(room)), `${room} does not name ${table}`)
  }
})

test('what people write stays: headings, order, sentences; what is gone goes', async () => {
  const sentence = '  -- Its number.\n  id bigint generated'
  const former = page
    .replace('  id bigint generated', sentence)
    .replace('-- == users ==', '-- == users ==\n-- Who signs in.')
    .concat('\n-- No more.\ncreate table gone (\n  id bigint\n);\n')
  const written = await pageOf(url, former)
  assert.ok(written.includes(sentence) && written.includes('-- Who signs in.'))
  assert.doesNotMatch(written, /gone \(|No more\./)
})

test('a table without a place, without a sentence or below the wrong heading is refused', async () => {
  const [, block = ''] = /\n\n((?:--.*\n)+create table plan \([^]*?\);)\n/.exec(page) ?? []
  await assert.rejects(pageOf(url, page.replace(block, '')), /write "create table plan" where/)
  const silent = page.replace(block, block.replace(/^--.*\n/, ''))
  await assert.rejects(pageOf(url, silent), /write a sentence above table plan/)
  const moved = page.replace(block, '').concat(`\n${block}\n`)
  await assert.rejects(pageOf(url, moved), /table plan stands below the wrong heading/)
})
