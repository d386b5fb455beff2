/**
 * A workspace brings the partitions of its rows to a cell: what is there in another form is passed
 * over, and no other error.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { addPartitions } from '../../../src/database/transport/move/workspace-target.ts'
import { freshDatabase, runOn } from '../../support/database.ts'

test('partitions of a cell are made in another one, but where others overlap them or the default one has their rows', async (t) => {
  const { url } = await freshDatabase(t)
  await runOn(
    url,
    `create schema here; create schema there;
     create table here.parted (at int) partition by range (at);
     create table here.first partition of here.parted for values from (0) to (10);
     create table here.second partition of here.parted for values from (10) to (20);
     create table here.third partition of here.parted for values from (20) to (30);
     create table there.parted (at int) partition by range (at);
     create table there.rest partition of there.parted default;
     create table there.wide partition of there.parted for values from (0) to (5);
     insert into there.parted values (25)`,
  )
  const [from, to] = [await open('here'), await open('there')]
  async function open(schema: string): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    await client.query(`set search_path = ${schema}`)
    return client
  }
  const requested = { progress: () => undefined, signal: new AbortController().signal }
  try {
    await addPartitions({ from, to }, requested)
    const { rows } = await to.query<{ name: string }>(
      "select inhrelid::regclass::text as name from pg_inherits where inhparent = 'parted'::regclass order by 1",
    )
    assert.deepEqual(
      rows.map(({ name }) => name),
      ['rest', 'second', 'wide'],
    )
    await from.query(
      'create table other (at int) partition by range (at); create table its partition of other for values from (0) to (1)',
    )
    await assert.rejects(addPartitions({ from, to }, requested), { code: '42P01' })
  } finally {
    await from.end()
    await to.end()
  }
})
