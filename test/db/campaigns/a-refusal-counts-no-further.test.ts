/** Whether an audience is larger than a number takes no more contacts than one above it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileAudience } from '../../../src/core/campaigns/audience/compile-audience.ts'
import type { Database } from '../../../src/database/client/database.ts'
import { sql } from '../../../src/database/client/sql.ts'
import { reachesMoreThan } from '../../../src/db/campaigns/reaches-more-than.ts'
import { startApi } from '../../support/api.ts'
import { addSubscribers } from '../../support/campaign-world.ts'

const api = await startApi({ workers: false })
const { db } = api.service
const audience = { to: null, except: [{ tag: 'nobody' }] }

const contactsRead = (tx: Database) =>
  tx.onlyValue<number>(sql`
    select seq_tup_read + coalesce(idx_tup_fetch, 0)
    from pg_stat_xact_user_tables
    where relid = 'subscriber'::regclass`)

test('an audience is compared with a number by one contact more than it', async () => {
  const shop = await api.workspace('large')
  await addSubscribers(api, shop, 2_000)
  await api.run('analyze subscriber, suppression, platform_suppression')
  for (const [above, larger] of [
    [10, true],
    [1_999, true],
    [2_000, false],
  ] as const)
    await db.transaction(async (tx) => {
      const { conditions } = await compileAudience(tx, shop.id, audience)
      const limits = { above, timeoutMs: 10_000 }
      const before = await contactsRead(tx)
      assert.equal(await reachesMoreThan(tx, conditions, limits), larger)
      const read = (await contactsRead(tx)) - before
      assert.ok(read <= above + 1, `${read} contacts`)
    })
})
