/**
 * The comparison at the end of a run (test/support/statements) finds what differs between a row
 * type and PostgreSQL's description.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { freshDatabase } from '../../support/database.ts'
import { columnProblems } from '../../support/statements/compare-statements.ts'
import type { DeclaredField } from '../../support/statements/declared-rows.ts'
import { describeStatement } from '../../support/statements/describe-statement.ts'

const field = (name: string, kind: string, isNullable = false): DeclaredField => ({
  name,
  kinds: [kind],
  isNullable,
})

test('a missing column, one too many, another type and a null that is not declared are found', async () => {
  const { url } = await freshDatabase()
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const text = 'select id, created_at, quota_of from workspace where id = $1'
  const description = await describeStatement(client, text)
  assert.deepEqual(description.parameters, [20])
  const { rows } = await client.query<{ id: string }>(
    `select attrelid || '.' || attnum as id from pg_attribute where attrelid = 'workspace'::regclass and attname = 'quota_of'`,
  )
  const nullable = new Set(rows.map(({ id }) => id))
  const problems = (fields: DeclaredField[]): string[] => [
    ...columnProblems({ at: '', fields }, description, { text, nullable }),
  ]
  const right = [field('id', 'number'), field('createdAt', 'Date')]
  assert.deepEqual(problems([...right, field('quotaOf', 'number', true)]), [])
  assert.deepEqual(problems([...right, field('quotaOf', 'number')]), [
    'quotaOf may be null, the row type does not say so',
  ])
  assert.deepEqual(problems([field('id', 'string'), field('since', 'Date')]), [
    'id is number, the row type says string',
    'no column is since',
    'the row type has no createdAt',
    'the row type has no quotaOf',
  ])
  await assert.rejects(describeStatement(client, 'select nothing from workspace'), {
    code: '42703',
  })
  await client.end()
})
