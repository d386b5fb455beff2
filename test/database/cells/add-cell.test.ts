/**
 * A cell has what `public` has of the tables of a cell, and an addition that was cut off is used by
 * nobody until it is ended.
 */
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import pg from 'pg'
import { addCell } from '../../../src/database/cells/add-cell.ts'
import { freshDatabase, runOn, testCell } from '../../support/database.ts'
import { cellCatalog, differences } from './cell-catalog.ts'

const skip = testCell === null ? false : 'it makes its own second cell'

/** What no migration has made yet, but one may. */
const furtherKinds = `
  create statistics public.of_message (ndistinct) on workspace_id, subject from message;
  alter table message alter column subject set statistics 500;
  create view message_of_captured as select m.* from message m join captured_mail c using (workspace_id);
  create view message_of_captured_again with (security_barrier) as select * from message_of_captured;
  alter table soft_bounce add constraint counts check (count < 1000000) not valid`

async function withCell(t: TestContext, before = ''): Promise<{ url: string; client: pg.Client }> {
  const { url } = await freshDatabase(t)
  if (before !== '') await runOn(url, before)
  await addCell({ connectionString: url, progress: () => undefined }, { node: null })
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  return { url, client }
}

test(
  'the catalog of a new cell is that of public, and nothing of it reads a table of cell 1',
  { skip },
  async (t) => {
    const { client } = await withCell(t, furtherKinds)
    const [home, created] = [
      await cellCatalog(client, 'public'),
      await cellCatalog(client, 'cell_2'),
    ]
    assert.deepEqual(differences(home, created), [])
    const counts = Map.groupBy(created, (line) => line.split(':')[0] ?? '')
    for (const [kind, least] of Object.entries({
      ...{ relation: 100, partition: 20, column: 700, constraint: 100, index: 150, trigger: 5 },
      ...{ view: 3, sequence: 2, statistics: 1 },
    }))
      assert.ok((counts.get(kind)?.length ?? 0) >= least, `${kind}: ${counts.get(kind)?.length}`)
    const { rows } = await client.query(`
    select distinct p.proname as name from pg_proc p join pg_depend d on d.classid = 'pg_proc'::regclass and d.objid = p.oid
    join pg_class c on d.refclassid = 'pg_class'::regclass and c.oid = d.refobjid
    where p.pronamespace = 'public'::regnamespace and exists (select from pg_class o where o.relnamespace = 'cell_2'::regnamespace and o.relname = c.relname)`)
    assert.deepEqual(rows, [], 'a function that is bound to a table is of cell 1 everywhere')
    await client.end()
  },
)
