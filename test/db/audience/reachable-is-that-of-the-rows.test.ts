/** How many a campaign reaches: a sum of changes that always equals a count of the rows. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../../src/database/client/sql.ts'
import { countReachable, foldTally } from '../../../src/db/audience/subscribers.ts'
import { startApi } from '../../support/api.ts'
import { ask, assertAnswered } from '../../support/ask.ts'

const api = await startApi()
const shop = await api.workspace('shop')
const { db } = api.service

const add = (email: string) =>
  ask(api.baseUrl, 'POST /api/v1/subscribers', {
    key: shop.key,
    body: { email, double_opt_in: false },
  })
const suppress = (email: string) =>
  ask(api.baseUrl, 'POST /api/v1/suppression', { key: shop.key, body: { email } })

/** How many there are by their rows: what the count has to be. */
async function subscribedRows(): Promise<number> {
  const [row] = await db.rows<{ count: number }>(sql`
    select count(*) as count from subscriber s where s.workspace_id = ${shop.id} and s.status = 'subscribed'
      and not exists (select from suppression x where x.workspace_id = ${shop.id} and x.email = s.email)
      and not exists (select from platform_suppression x where x.email = s.email)`)
  return row?.count ?? -1
}

test('the count of reachable contacts equals that of the rows, after any changes, folded or not', async () => {
  const emails = Array.from({ length: 80 }, (_, n) => `counted${n}@example.com`)
  await Promise.all(emails.map((email) => add(email)))
  await Promise.all(emails.slice(0, 20).map((email) => suppress(email)))
  await Promise.all(
    emails
      .slice(10, 30)
      .map((email) => ask(api.baseUrl, `DELETE /api/v1/subscribers/${email}`, { key: shop.key })),
  )
  const expected = await subscribedRows()
  assert.equal(await countReachable(db, shop.id), expected)
  await foldTally(db, shop.id, 2)
  assert.equal(await countReachable(db, shop.id), expected)
  await api.suppressOnPlatform('counted50@example.com')
  assert.equal(await countReachable(db, shop.id), expected - 1)
  assertAnswered(await ask(api.baseUrl, 'GET /api/v1/me', { key: shop.key }), 200, {
    subscribers: expected - 1,
  })
})
