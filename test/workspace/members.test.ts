/** Members: an owner changes and removes others, one stays; who leaves is gone; the audit log tells who did what. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/db/connect.ts'
import { startApi } from '../support/api.ts'
import { assertAnswered, assertRefused } from '../support/ask.ts'
import { at } from '../support/json.ts'
import { operatorDoors } from '../support/operator-doors.ts'
import { signIn } from '../support/sign-in.ts'

const api = await startApi({ door: operatorDoors(), workers: false })
const acme = await api.workspace('acme')
const [ada, grace] = [
  await signIn(api, { email: 'ada@example.com', in: { [acme.id]: 'owner' } }),
  await signIn(api, { email: 'grace@example.com', in: { [acme.id]: 'editor' } }),
]
const base = '/workspaces/acme/api/v1'
const setRole = (id: string, role: string) => ada.ask(`PATCH ${base}/members/${id}`, { body: { role } })

test('409 conflict, last_owner: the only owner neither steps down, is removed nor leaves', async () => {
  for (const answer of [
    await setRole(ada.personId, 'editor'),
    await ada.ask(`DELETE ${base}/members/${ada.personId}`),
    await ada.ask(`DELETE ${base}/membership`),
  ]) {
    assertRefused(answer, 'conflict', { reason: 'last_owner' })
  }
})

test('two owners who step down at the same moment: one stays', async () => {
  assertAnswered(await setRole(grace.personId, 'owner'), 200)
  const down = { body: { role: 'viewer' } }
  // Both have come as far as they can before either is let go on.
  const calls = await api.service.db.transaction(async (tx) => {
    await tx.rows(sql`select from membership where workspace_id = ${acme.id} for update`)
    const stepping = [ada, grace].map(({ ask, personId }) => ask(`PATCH ${base}/members/${personId}`, down))
    const waiting = async (): Promise<number> =>
      (
        await api.service.db.rows(
          sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        )
      ).length
    while ((await waiting()) < 2) await api.service.clock.sleep(10)
    return { stepping }
  })
  const answers = await Promise.all(calls.stepping)
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 409])
  await api.run(`update membership set role = 'owner' where workspace_id = ${acme.id}`)
})

test('who leaves is gone; the log tells each act, by whom, newest first, page by page', async () => {
  assertAnswered(await grace.ask(`DELETE ${base}/membership`), 200)
  assertRefused(await grace.ask(`GET ${base}/members`), 'not_found')
  const first = await ada.ask(`GET ${base}/audit?limit=1`)
  assertAnswered(first, 200, {
    data: [{ act: 'member.left', who: 'grace@example.com', subject: 'grace@example.com', ip: '127.0.0.1' }],
  })
  const next = await ada.ask(`GET ${base}/audit?limit=50&cursor=${String(at(first.body, 'next_cursor'))}`)
  assertAnswered(next, 200, { has_more: false })
  const acts = Object(at(next.body, 'data')).map((entry: unknown) => at(entry, 'act'))
  assert.deepEqual(acts, ['member.role_changed', 'member.role_changed'])
  assertRefused(await ada.ask(`GET ${base}/audit?cursor=nonsense`), 'validation_error')
})

test('201: an owner adds a workspace and owns it; whoever owns none is refused, and a name is given once', async () => {
  const added = await ada.ask('POST /people/api/v1/workspaces', { body: { name: 'Analytical Engines' } })
  assertAnswered(added, 201, { slug: 'analytical-engines', role: 'owner' })
  assertAnswered(await ada.ask('GET /workspaces/analytical-engines/api/v1/audit'), 200, { data: [{ act: 'workspace.created' }] })
  assertRefused(await ada.ask('POST /people/api/v1/workspaces', { body: { name: 'analytical engines' } }), 'conflict', {
    reason: 'name_taken',
  })
  assertRefused(await grace.ask('POST /people/api/v1/workspaces', { body: { name: 'Mine' } }), 'insufficient_role')
})
