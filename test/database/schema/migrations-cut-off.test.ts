/**
 * A migration outside a transaction ends after any of its statements, and goes on with the next
 * start.
 */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { migrate } from '../../../src/database/schema/migrate.ts'
import {
  isOutside,
  migrationsFolder,
  readMigrations,
} from '../../../src/database/schema/migration-files.ts'
import { statementsOf } from '../../../src/database/schema/statement-text.ts'
import { emptyDatabase, runOn } from '../../support/database.ts'
import { makeTemporaryFolder } from '../../support/temporary-folder.ts'

const shape = `
  select c.relname, c.relkind, pg_get_indexdef(c.oid) as index, (select indisvalid from pg_index where indexrelid = c.oid) as valid,
    (select array_agg(conname || pg_get_constraintdef(oid) order by conname) from pg_constraint where conrelid = c.oid) as constraints
  from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'i', 'I') order by c.relname`

test('a file outside a transaction that ended after any of its statements goes on, and makes the same tables', async (t) => {
  const [cut, whole] = [await emptyDatabase(t), await emptyDatabase(t)]
  const folder = makeTemporaryFolder('migrations')
  const options = { folder, completesStatistics: false }
  let cuts = 0
  for (const file of readMigrations(migrationsFolder)) {
    const write = (text: string): void => writeFileSync(join(folder, file.name), text)
    const statements = isOutside(file) ? statementsOf(file.text) : []
    for (let done = 1; done <= statements.length; done++, cuts++) {
      write(`-- outside a transaction\n${statements.slice(0, done).join(';\n')};\nselect 1 / 0;`)
      await assert.rejects(
        migrate(cut, options),
        /division by zero/,
        `${file.name} after ${done} of ${statements.length}`,
      )
    }
    write(file.text)
  }
  assert.ok(cuts > 50, `There were ${cuts} ends`)
  await Promise.all([migrate(cut, options), migrate(whole, options)])
  assert.deepEqual((await runOn(cut, shape)).rows, (await runOn(whole, shape)).rows)
})
