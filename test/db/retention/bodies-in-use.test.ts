/** A body stays until its message was finished for as long as the limit says. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../../src/db/connection/connect.ts'
import { finishedBodies, hasBodiesInUse } from '../../../src/db/retention/bodies-in-use.ts'
import { freshDatabase } from '../../support/database.ts'

const { connection: db } = await freshDatabase()
const workspaceId = 7
await db.count(sql`insert into plan (name) values ('p')`)
await db.count(
  sql`insert into workspace (id, slug, name, plan, created_at) values (${workspaceId}, 'w', 'W', 'p', facteur_now())`,
)

const [from, to] = ['01900000-0000-7000-8000-000000000000', '01900000-ffff-7000-8000-000000000000']
const range = { from, to, before: new Date('2026-03-01T00:00:00Z') }
const messageOf = (n: number): string => `01900000-000${n}-7000-8000-000000000000`

async function put(n: number, state: string, settledAt: string | null): Promise<string> {
  await db.count(sql`insert into message_body (workspace_id, message_id, text) values (${workspaceId}, ${messageOf(n)}, 'x')`)
  await db.count(sql`
    insert into recipient (workspace_id, message_id, position, kind, email, address_key, status, state, lane, next_at, settled_at)
    values (${workspaceId}, ${messageOf(n)}, 0, 'to', 'a@b.test', 'a@b.test', 'queued', ${state}, 'transactional', facteur_now(), ${settledAt})`)
  return messageOf(n)
}

test('a range of finished messages can be dropped at once', async () => {
  const old = await put(1, 'settled', '2026-02-01T00:00:00Z')
  const canceled = await put(2, 'settled', null)
  assert.equal(await hasBodiesInUse(db, range), false)
  assert.deepEqual(await finishedBodies(db, workspaceId, { ...range, max: 10 }), [old, canceled])
})

test('a message that waits, or was finished within the limit, holds its range, and only its own body stays', async () => {
  await put(3, 'pending', null)
  assert.equal(await hasBodiesInUse(db, range), true)
  assert.equal(await hasBodiesInUse(db, { ...range, to: messageOf(3) }), false)
  await put(4, 'settled', '2026-03-02T00:00:00Z')
  assert.equal(await hasBodiesInUse(db, { ...range, from: messageOf(4) }), true)
  assert.deepEqual(await finishedBodies(db, workspaceId, { ...range, max: 10 }), [messageOf(1), messageOf(2)])
})
