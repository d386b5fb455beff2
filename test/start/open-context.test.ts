/** What every verb is given is opened whole, or not at all. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../../src/clock.ts'
import { readConfig } from '../../src/config.ts'
import { createLog } from '../../src/log.ts'
import { openContext } from '../../src/main/open-context.ts'
import { freshDatabase, runOn } from '../support/database.ts'

test('a database that fails while the settings are read leaves no connection open', async (t) => {
  const { url } = await freshDatabase(t)
  const config = readConfig({ DATABASE_URL: url, FACTEUR_MASTER_KEY: Buffer.alloc(32, 7).toString('base64') })
  const log = createLog({ level: 'error', clock: systemClock, readable: false, write: () => undefined })
  const first = await openContext(config, log, url)
  await first.providers.close(0)
  await first.close()
  await runOn(url, 'alter table installation rename column language to moved')
  await assert.rejects(openContext(config, log, url), /column "language" does not exist/)
  const open = "select from pg_stat_activity where datname = current_database() and application_name = 'facteur'"
  // The server hears of the end of a connection a moment later; a pool that leaks keeps its connections for a minute.
  for (let looks = 0; looks < 200 && (await runOn(url, open)).rowCount !== 0; looks++);
  assert.equal((await runOn(url, open)).rowCount, 0)
})
