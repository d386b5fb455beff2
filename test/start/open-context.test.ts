/** The context of the verbs opens completely, or leaves nothing open. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../../src/ground/clock.ts'
import { readConfig } from '../../src/ground/config.ts'
import { sql } from '../../src/database/client/sql.ts'
import { createLog } from '../../src/ground/log.ts'
import { openContext } from '../../src/main/open-context.ts'
import { freshDatabase } from '../support/database.ts'

test('settings that cannot be read leave no connection open', async (t) => {
  const { url, connection } = await freshDatabase(t)
  const config = {
    ...readConfig({
      DATABASE_URL: url,
      FACTEUR_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    }),
    ...{ provider: 'smtp-relay' as const, smtpUrl: null },
  }
  const log = createLog({
    level: 'error',
    clock: systemClock,
    readable: false,
    write: () => undefined,
  })
  await assert.rejects(openContext(config, log, url))
  const others = sql`
    select from pg_stat_activity
    where datname = current_database() and application_name = 'facteur' and pid <> pg_backend_pid()`
  // The server sees the end of a connection a moment later; a pool that leaks holds its connections
  // for a minute.
  for (let polls = 0; polls < 2_000 && (await connection.count(others)) > 0; polls++);
  assert.equal(await connection.count(others), 0)
})
