/** How long a workspace stores its data: every member reads it, an owner shortens it and never lengthens it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/db/connection/connect.ts'
import { setRetentionOfInstallation } from '../../src/core/workspaces/set-retention.ts'
import { makeIds } from '../../src/ids.ts'
import { startApi } from '../support/api.ts'
import { assertAnswered, assertRefused } from '../support/ask.ts'
import { at } from '../support/json.ts'
import { operatorEntryPoints } from '../support/operator-entry-points.ts'
import { signIn } from '../support/sign-in.ts'

const api = await startApi({ entry: operatorEntryPoints(), workers: false })
const { service } = api
const acme = await api.workspace('acme')
const here = '/workspaces/acme/api/v1/retention'
const owner = await signIn(api, { email: 'ada@example.com', in: { [acme.id]: 'owner' } })
const viewer = await signIn(api, { in: { [acme.id]: 'viewer' } })
const bodiesIn = (answer: { body: unknown }): unknown => at(answer.body, 'classes', '0')

test('a viewer reads the limits, and an owner shortens one: the audit log names both limits', async () => {
  assert.partialDeepStrictEqual(bodiesIn(await viewer.ask(`GET ${here}`)), {
    ...{ name: 'bodies', days: 30, own_days: null, installation_days: 30, days_min: 1 },
  })
  const changed = await owner.ask(`PATCH ${here}`, { body: { bodies: 14 } })
  assertAnswered(changed, 200, { object: 'retention' })
  assert.partialDeepStrictEqual(bodiesIn(changed), { days: 14, own_days: 14, installation_days: 30 })
  const entries = await service.db.rows(sql`select who, subject, details from audit_log where act = 'retention.changed'`)
  assert.deepEqual(entries, [{ who: 'ada@example.com', subject: 'bodies', details: { days: 14, before: 30 } }])
  assertRefused(await viewer.ask(`PATCH ${here}`, { body: { bodies: 7 } }), 'insufficient_role')
})

test("422: a limit below the smallest, or above the installation's, names both", async () => {
  assertRefused(await owner.ask(`PATCH ${here}`, { body: { delivery_details: 7 } }), 'validation_error', {
    ...{ path: 'delivery_details', rule: 'minimum', limit: 31 },
  })
  const longer = await owner.ask(`PATCH ${here}`, { body: { bodies: 20, events: 31 }, headers: { 'accept-language': 'en' } })
  assertRefused(longer, 'validation_error', { path: 'events', rule: 'retention', limit: 30 })
  assert.equal(
    at(longer.body, 'message'),
    '`events` is longer than the limit of the installation, which is 30 days; `31` was given.',
  )
  assert.partialDeepStrictEqual(bodiesIn(await viewer.ask(`GET ${here}`)), { days: 14 })
})

test("the operator's shorter limit wins, and its rise does not lengthen the owner's", async () => {
  const set = (days: number | null) => setRetentionOfInstallation(service, { name: 'bodies', days })
  await set(5)
  assert.partialDeepStrictEqual(bodiesIn(await viewer.ask(`GET ${here}`)), { days: 5, own_days: 14, installation_days: 5 })
  await set(null)
  assert.partialDeepStrictEqual(bodiesIn(await viewer.ask(`GET ${here}`)), { days: 14, own_days: 14, installation_days: null })
  assert.partialDeepStrictEqual(bodiesIn(await owner.ask(`PATCH ${here}`, { body: { bodies: null } })), {
    ...{ days: null, own_days: null },
  })
})

test('the preview counts what a limit would delete, and changes nothing', async () => {
  const id = makeIds(() => Date.now() - 4 * 86_400_000)()
  await service.db.count(sql`insert into message_body (workspace_id, message_id, text) values (${acme.id}, ${id}, '')`)
  const preview = (days: number) => owner.ask(`GET ${here}/preview?class=bodies&days=${days}`)
  assertAnswered(await preview(3), 200, { object: 'retention_preview', rows: 1, is_more: false })
  assertAnswered(await preview(4 + 1), 200, { rows: 0 })
  assertRefused(await viewer.ask(`GET ${here}/preview?class=bodies&days=3`), 'insufficient_role')
})
