/** The database holds digests of keys and no usable secret (security: Secrets). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/database/client/sql.ts'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered } from '../support/ask.ts'
import { runOn } from '../support/database.ts'
import { handedOver } from '../support/relay-world.ts'

const api = await startApi()
const { db } = api.service

/** Every row of every table as text. */
async function everything(): Promise<string> {
  const tables = await db.rows<{ name: string }>(sql`
    select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`)
  const texts = await Promise.all(
    tables.map(
      async ({ name }) =>
        (
          await runOn(
            api.database.url,
            `select coalesce(string_agg(t::text, ' '), '') as text from "${name}" t`,
          )
        ).rows[0],
    ),
  )
  return texts.map((row: { text: string }) => row.text).join(' ')
}

test('an API key is stored as its SHA-256 and a harmless prefix; it works all the same', async () => {
  const workspace = await api.workspace('keys')
  await handedOver(api, workspace, {}, { 'idempotency-key': 'k' })
  const secret = workspace.key.split('_').at(-1) ?? ''
  assert.ok(secret.length >= 36)
  const stored = await everything()
  assert.ok(stored.includes(workspace.domain), 'the tables are read at all')
  assert.ok(!stored.includes(workspace.key) && !stored.includes(secret))
  assert.ok(!stored.includes(secret.slice(0, 8)), 'no more than the beginning is kept')
  const digest = await db.rows(
    sql`select 1 from api_key where digest = sha256(convert_to(${workspace.key}, 'UTF8'))`,
  )
  assert.equal(digest.length, 1)
  assertAnswered(await ask(api.baseUrl, 'GET /api/v1/me', { key: workspace.key }), 200)
})

test('no answer shows a key again', async () => {
  const workspace = await api.workspace('shown once')
  const id = await handedOver(api, workspace)
  for (const line of [
    'GET /api/v1/me',
    'GET /api/v1/emails',
    `GET /api/v1/emails/${id}`,
    'GET /api/v1/suppression',
    'GET /api/v1',
  ]) {
    const text = JSON.stringify((await ask(api.baseUrl, line, { key: workspace.key })).body)
    assert.ok(!text.includes(workspace.key.split('_').at(-1) ?? ''), line)
  }
})

test('two keys of a workspace share nothing but their beginning, and each has 180 random bits', async () => {
  const workspace = await api.workspace('random')
  const keys = await Promise.all(
    Array.from({ length: 50 }, () => workspace.makeKey(['emails:send'])),
  )
  const secrets = keys.map((key) => key.split('_').at(-1) ?? '')
  assert.equal(new Set(secrets.map((secret) => secret.slice(0, 12))).size, 50)
  for (const secret of secrets) assert.match(secret, /^[0-9abcdefghjkmnpqrstvwxyz]{42}$/)
})
