/**
 * The copy of a whole database while nobody writes to it: the same rows at the other end, whatever
 * cut an earlier run off.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  copyDatabase,
  type CopyProgress,
} from '../../../src/database/transport/copy/copy-database.ts'
import { copiedTables } from '../../../src/database/transport/copied-tables.ts'
import { withCopyClient } from '../../../src/database/transport/copy-client.ts'
import { differing, digestTables } from '../../../src/database/transport/table-digests.ts'
import { emptyDatabase, freshDatabase, runOn } from '../../support/database.ts'
import { startOtherPostgres, whyNoOtherPostgres } from '../../support/debian-postgres.ts'
import { fillMessages } from '../../support/filled-database.ts'
import { pageOf } from '../../docs/write-schema.ts'

const { url } = await freshDatabase()
await fillMessages(url, 3_000)

const copy = (
  to: string,
  options: { onProgress?: (at: CopyProgress) => void; signal?: AbortSignal } = {},
) =>
  copyDatabase({
    ...{
      from: url,
      to,
      progress: () => undefined,
      onProgress: () => undefined,
      signal: new AbortController().signal,
    },
    ...options,
  })

/** The catalog without what differs by chance: order, and names that PostgreSQL made. */
const schemaOf = async (at: string): Promise<unknown[]> =>
  (
    await runOn(
      at,
      `select c.relname || '.' || a.attname as item, format_type(a.atttypid, a.atttypmod) as is from pg_attribute a join pg_class c on c.oid = a.attrelid
       where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped
       union all select indrelid::regclass::text, substring(pg_get_indexdef(indexrelid) from 'USING .*') || indisunique || indisvalid from pg_index i join pg_class c on c.oid = i.indrelid
       where c.relnamespace = 'public'::regnamespace
       union all select conrelid::regclass || '.' || conname, pg_get_constraintdef(oid) || convalidated from pg_constraint
       where connamespace = 'public'::regnamespace and contype <> 'n'
       union all select tgrelid::regclass || '.' || tgname, tgenabled::text from pg_trigger where not tgisinternal
       union all select relname || ' of', pg_get_expr(relpartbound, oid) from pg_class where relispartition and relkind = 'r'
       union all select sequencename, last_value::text from pg_sequences
       order by 1, 2`,
    )
  ).rows

const assertSame = async (to: string): Promise<void> => {
  const digestOf = (at: string) =>
    withCopyClient(at, async (client) => digestTables(client, await copiedTables(client)))
  const [here, there] = [await digestOf(url), await digestOf(to)]
  assert.deepEqual([differing(here, there), differing(there, here)], [[], []])
  assert.deepEqual(await schemaOf(to), await schemaOf(url))
}

test('to a database that has only tables: the same rows, indexes, keys, triggers, partitions and sequences', async (t) => {
  const { url: to } = await freshDatabase(t)
  const shares: number[] = []
  const copied = await copy(to, {
    onProgress: ({ step, share }) => step === 'check' && shares.push(share),
  })
  assert.ok(copied.rows >= 9_000 && copied.tables > 80, JSON.stringify(copied))
  assert.deepEqual([shares, shares.at(-1)], [shares.toSorted((a, b) => a - b), 1])
  const largest = Math.max(...shares.map((share, at) => share - (shares[at - 1] ?? 0)))
  assert.ok(largest < 0.2, `${largest}: the progress moves within large tables too`)
  await assertSame(to)
  await assert.rejects(copy(to), /^OperatorError: The target holds an installation already/)
})

test(
  'to an empty database of another major version of PostgreSQL: the same',
  { skip: whyNoOtherPostgres },
  async (t) => {
    const other = await startOtherPostgres(t)
    await copy(other.url)
    await assertSame(other.url)
    const [here, there] = [await pageOf(url), await pageOf(other.url)]
    assert.ok(here === there, 'schema.sql is the same from each version')
  },
)

test('cut off in the middle, and changed since: the next run copies what is missing and what differs', async (t) => {
  const { url: to } = await freshDatabase(t)
  const stopping = new AbortController()
  const cut = copy(to, {
    signal: stopping.signal,
    onProgress: ({ step }) => step === 'indexes' && stopping.abort(new Error('cut')),
  })
  await assert.rejects(cut, /cut/)
  await runOn(
    url,
    `update message set subject = 'Changed since' where subject = 'Message number 7'`,
  )
  const { bytes } = await copy(to)
  assert.ok(bytes > 0 && bytes < 1_500_000, `${bytes} bytes: one table alone`)
  await assertSame(to)
})

test('refused: a database with tables of others, and an unfinished copy of another installation', async (t) => {
  const strange = await emptyDatabase(t)
  await runOn(strange, 'create table ours (id int)')
  await assert.rejects(copy(strange), /^OperatorError: The target is not empty \(it has ours\)/)
  const to = await emptyDatabase(t)
  await runOn(
    to,
    `create table copy_target (copy text, installation text, migrations text[]); insert into copy_target values ('1', 'another', '{}')`,
  )
  await assert.rejects(
    copy(to),
    /^OperatorError: The target is an unfinished copy of another installation/,
  )
})
