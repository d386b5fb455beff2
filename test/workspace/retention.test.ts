/**
 * How long a workspace stores its data: every member reads it, an owner shortens it and never
 * lengthens it.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/database/client/sql.ts'
import { setRetentionOfInstallation } from '../../src/core/workspaces/set-retention.ts'
import { makeIds } from '../../src/ground/ids.ts'
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
  assert.partialDeepStrictEqual(bodiesIn(changed), {
    days: 14,
    own_days: 14,
    installation_days: 30,
  })
  const entries = await service.db.rows(
    sql`select who, subject, details from audit_log where act = 'retention.changed'`,
  )
  assert.deepEqual(entries, [
    { who: 'ada@example.com', subject: 'bodies', details: { days: 14, before: 30 } },
  ])
  assertRefused(await viewer.ask(`PATCH ${here}`, { body: { bodies: 7 } }), 'insufficient_role')
})

test("422: a limit below the smallest, or above the installation's, names both", async () => {
  assertRefused(
    await owner.ask(`PATCH ${here}`, { body: { delivery_details: 7 } }),
    'validation_error',
    {
      ...{ path: 'delivery_details', rule: 'minimum', limit: 31 },
    },
  )
  const longer = await owner.ask(`PATCH ${here}`, {
    body: { bodies: 20, events: 31 },
    headers: { 'accept-language': 'en' },
  })
  assertRefused(longer, 'validation_error', { path: 'events', rule: 'retention', limit: 30 })
  assert.equal(
    at(longer.body, 'message'),
    '`events` is longer than the limit of the installation, which is 30 days; `31` was given.',
  )
  assert.partialDeepStrictEqual(bodiesIn(await viewer.ask(`GET ${here}`)), { days: 14 })
})

test("the operator's shorter limit wins, and its rise does not lengthen the owner's", async () => {
  const set = (days: number | null) =>
    setRetentionOfInstallation([service], { name: 'bodies', days })
  await set(5)
  assert.partialDeepStrictEqual(bodiesIn(await viewer.ask(`GET ${here}`)), {
    days: 5,
    own_days: 14,
    installation_days: 5,
  })
  await set(null)
  assert.partialDeepStrictEqual(bodiesIn(await viewer.ask(`GET ${here}`)), {
    days: 14,
    own_days: 14,
    installation_days: null,
  })
  assert.partialDeepStrictEqual(
    bodiesIn(await owner.ask(`PATCH ${here}`, { body: { bodies: null } })),
    {
      ...{ days: null, own_days: null },
    },
  )
})

test('the preview counts what a limit would delete, and changes nothing', async () => {
  const id = makeIds(() => Date.now() - 4 * 86_400_000)()
  await service.db.count(
    sql`insert into message_body (workspace_id, message_id, text) values (${acme.id}, ${id}, '')`,
  )
  const preview = (days: number) => owner.ask(`GET ${here}/preview?class=bodies&days=${days}`)
  assertAnswered(await preview(3), 200, { object: 'retention_preview', rows: 1, is_more: false })
  assertAnswered(await preview(4 + 1), 200, { rows: 0 })
  assertRefused(await viewer.ask(`GET ${here}/preview?class=bodies&days=3`), 'insufficient_role')
})

test('the preview counts a message from when it was finished', async () => {
  const ids = makeIds(() => Date.now() - 40 * 86_400_000)
  for (const [state, finished] of [
    ['settled', '40 days'],
    ['settled', '1 minute'],
    ['pending', null],
  ] as const) {
    const id = ids()
    await api.run(`
      insert into message (workspace_id, id, head, subject, message_id, created_at)
      values (${acme.id}, '${id}', '{}', '', '${id}', facteur_now() - interval '40 days');
      insert into message_body (workspace_id, message_id, text) values (${acme.id}, '${id}', '');
      insert into recipient (workspace_id, message_id, position, kind, email, address_key, status, state, lane, next_at, settled_at)
      values (${acme.id}, '${id}', 0, 'to', 'a@b.test', 'a@b.test', 'delivered', '${state}', 'transactional', facteur_now(), facteur_now() - ${finished === null ? 'null::interval' : `interval '${finished}'`})`)
  }
  const preview = (name: string, days: number) =>
    owner.ask(`GET ${here}/preview?class=${name}&days=${days}`)
  assertAnswered(await preview('messages', 31), 200, { rows: 1 })
  const withText = async (days: number) => at((await preview('bodies', days)).body, 'rows')
  assert.equal(
    await withText(10),
    0,
    'the earlier one is too young, and the old one expired under the earlier limit',
  )
  await api.moveClock('20 days')
  const later = await signIn(api, { in: { [acme.id]: 'owner' } })
  const counted = await later.ask(`GET ${here}/preview?class=bodies&days=10`)
  assert.equal(
    at(counted.body, 'rows'),
    2,
    'the earlier one, and the one that was finished meanwhile',
  )
  await api.moveClock('0')
})

test('a limit of the installation that cannot be entered in every audit log is not set', async () => {
  const reader = await signIn(api, { in: { [acme.id]: 'viewer' } })
  await api.run(`
    create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no entry'; end $$;
    create trigger refuse before insert on audit_log for each row execute function refuse()`)
  await assert.rejects(
    setRetentionOfInstallation([service], { name: 'events', days: 9 }),
    /no entry/,
  )
  await api.run('drop trigger refuse on audit_log')
  const days = async () => at((await reader.ask(`GET ${here}`)).body, 'classes', '4', 'days')
  assert.equal(await days(), 30)
  await setRetentionOfInstallation([service], { name: 'events', days: 9 })
  assert.equal(await days(), 9)
})
