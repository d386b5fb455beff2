/**
 * Processes of the previous version run on after tables were renamed: a view with the former name
 * takes their writes.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../../src/db/connection/sql.ts'
import { freshDatabase } from '../../support/database.ts'

const { connection: db } = await freshDatabase()

const id = '019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e40'
const workspaceId = 1

const formerNames = [
  ...[
    'audit_entry',
    'domain_record',
    'erased_person',
    'feedback_raw',
    'image',
    'membership',
    'passkey',
    'passkey_challenge',
  ],
  ...[
    'person',
    'person_link',
    'session',
    'sign_in_brake',
    'sign_up_brake',
    'subscriber_unsearched',
  ],
  ...[
    'visit',
    'campaign_mishap',
    'campaign_silence',
    'consent',
    'subscriber_file',
    'subscriber_file_piece',
    'suppression_import',
  ],
]

await db.rows(
  sql`insert into plan (name, monthly_quota) values ('free', 1000) on conflict do nothing`,
)
await db.rows(sql`
  insert into workspace (id, slug, name, plan, created_at) overriding system value
  values (${workspaceId}, 'acme', 'Acme', 'free', facteur_now())`)

test('a user, their membership and session are written by the former names and read by the present ones', async () => {
  await db.rows(sql`insert into person (id, email, name) values (${id}, 'ada@example.com', 'Ada')`)
  await db.rows(sql`
    insert into membership (workspace_id, person_id, role) values (${workspaceId}, ${id}, 'viewer')
    on conflict (workspace_id, person_id) do update set role = excluded.role`)
  await db.rows(sql`
    insert into membership (workspace_id, person_id, role) values (${workspaceId}, ${id}, 'owner')
    on conflict (workspace_id, person_id) do update set role = excluded.role`)
  const rows = await db.rows(sql`
    select u.email, m.role from workspace_member m join user_account u on u.id = m.user_id where m.workspace_id = ${workspaceId}`)
  assert.deepEqual(rows, [{ email: 'ada@example.com', role: 'owner' }])
  await db.rows(sql`update user_account set name = 'Ada L.' where id = ${id}`)
  const [locked] = await db.rows(sql`select p.name from person p where id = ${id} for update of p`)
  assert.deepEqual(locked, { name: 'Ada L.' })
  await db.rows(sql`delete from membership where person_id = ${id}`)
  assert.deepEqual(await db.rows(sql`select from workspace_member`), [])
})

test('a renamed column has one value under both names', async () => {
  await db.rows(sql`
    insert into image (workspace_id, id, digest, type, width, height, size, octets, name, created_at)
    values (${workspaceId}, ${id}, '\\x01', 'image/png', 1, 1, 3, '\\x010203', 'a.png', facteur_now())`)
  const [image] = await db.rows<{ hex: string }>(
    sql`select encode(content, 'hex') as hex from image_file`,
  )
  assert.equal(image?.hex, '010203')
  await db.rows(sql`
    insert into raw_notice (workspace_id, source, id, bytes, size, received_at)
    values (${workspaceId}, 'dsn', 'x', '\\x00', 1, facteur_now())`)
  assert.deepEqual(await db.rows(sql`select octets from feedback_raw`), [{ octets: 1 }])
})

test('every former name takes inserts, updates and deletes', async () => {
  const views = await db.rows<{ name: string; takes: string }>(sql`
    select table_name::text as name, concat_ws(' ', is_insertable_into, is_updatable) as takes
    from information_schema.views where table_schema = 'public'`)
  const takes = new Map(views.map((view) => [view.name, view.takes]))
  for (const name of formerNames) assert.equal(takes.get(name), 'YES YES', name)
})

test('the check that no webhook names a type answers by both names', async () => {
  const checks = [
    sql`select facteur_unheard(${workspaceId}, '{email.sent}') as passes`,
    sql`select facteur_require_unsubscribed(${workspaceId}, '{email.sent}') as passes`,
  ]
  for (const check of checks) assert.deepEqual(await db.rows(check), [{ passes: true }])
  await db.rows(sql`
    insert into webhook (workspace_id, id, name, url, host, events, secret, created_at, updated_at)
    values (${workspaceId}, ${id}, 'hook', 'https://example.com/', 'example.com', '{email.sent}', '', facteur_now(), facteur_now())`)
  for (const check of checks) await assert.rejects(db.rows(check), { code: 'FA002' })
})
