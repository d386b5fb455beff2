/**
 * A database that answers and fails each statement, as a server does whose programs another version
 * replaced: calls may come again.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApi } from '../support/api.ts'
import { ask, assertAnswered } from '../support/ask.ts'
import { runOn } from '../support/database.ts'
import { at } from '../support/json.ts'

const api = await startApi()
const workspace = await api.workspace('fails')

async function failWith(state: string): Promise<void> {
  await runOn(
    api.database.url,
    `create or replace function fail() returns trigger language plpgsql as
       $$ begin raise exception 'could not load library "llvmjit.so"' using errcode = '${state}'; end $$`,
  )
  await runOn(
    api.database.url,
    `create or replace trigger fails before insert on suppression for each row execute function fail()`,
  )
}
const suppress = () =>
  ask(api.baseUrl, 'POST /api/v1/suppression', {
    key: workspace.key,
    body: { email: 'gone@example.com' },
  })

for (const state of ['58P01', '58030', 'XX000'])
  test(`503 internal_error with Retry-After: the server fails with ${state}`, async () => {
    await failWith(state)
    const refused = await suppress()
    assert.equal(refused.status, 503)
    assert.equal(at(refused.body, 'error', 'code'), 'internal_error')
    assert.match(refused.headers.get('retry-after') ?? '', /^[1-9]\d*$/)
  })

test('500 internal_error without Retry-After: damaged data stays damaged', async () => {
  await failWith('XX001')
  const refused = await suppress()
  assert.equal(refused.status, 500)
  assert.equal(refused.headers.get('retry-after'), null)
  await runOn(api.database.url, 'drop trigger fails on suppression')
  assertAnswered(await suppress(), 201)
})
