/**
 * A capture in one process wakes a call that waits in another, also one without workers: the parts
 * of each as a start opens them.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openCells } from '../../src/main/open-cells.ts'
import { openContext } from '../../src/main/open-context.ts'
import { sql } from '../../src/database/client/sql.ts'
import { systemClock } from '../../src/ground/clock.ts'
import { readConfig } from '../../src/ground/config.ts'
import { createLog } from '../../src/ground/log.ts'
import { freshDatabase } from '../support/database.ts'
import { until } from '../support/until.ts'

test('a mail that another process captured is heard of by calls that wait here', async (t) => {
  const { url, connection } = await freshDatabase(t)
  const config = readConfig({
    DATABASE_URL: url,
    FACTEUR_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
  })
  const log = createLog({
    ...({ level: 'error', clock: systemClock, readable: false } as const),
    write: () => undefined,
  })
  const open = async () => {
    const ctx = await openContext(config, log, url)
    const { cells, close } = await openCells(ctx)
    return {
      service: cells.home,
      async end() {
        await close()
        await ctx.providers.close(0)
        cells.home.stop()
        await ctx.close()
      },
    }
  }
  const [{ service: api, ...here }, { service: worker, ...there }] = [await open(), await open()]
  const listening = sql`
    select from pg_stat_activity where datname = current_database() and application_name = 'facteur hints' and query ilike 'listen %'`
  await until(
    () => connection.count(listening),
    (count) => count === 2,
  )
  const waits = api.captureWaits.until({
    ...{ workspaceId: 7, keyId: 'key', seconds: 30, left: undefined },
    query: () => Promise.resolve(null),
  })
  await until(
    () => Promise.resolve(worker.captureWaits.othersWait()),
    (knows) => knows,
  )
  const heard = new Promise((onWakeUp) => Object.assign(api.captureWaits, { onWakeUp }))
  worker.wake('captured:7')
  assert.equal(await heard, 'captured:7')
  api.captureWaits.end()
  assert.equal(await waits, null)
  // Before the database, which goes with the test.
  await Promise.all([here.end(), there.end()])
})
