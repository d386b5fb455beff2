/**
 * The clean-up goes workspace by workspace: a failure in one is logged, and the others are cleaned
 * up.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Service } from '../../src/core/context.ts'
import { sql } from '../../src/database/client/sql.ts'
import { cleanUpFailures } from '../../src/db/retention/clean-up-failures.ts'
import { cleanUp } from '../../src/entrypoints/workers/clean-up.ts'
import type { TestWorkspace } from '../support/api.ts'
import { startRelayWorld, type RelayWorld } from '../support/relay-world.ts'

const errors: object[] = []
const quiet: Service['log'] = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: (fields) => void errors.push(fields),
}
const world = await startRelayWorld({ log: quiet })

const workspacesOf = (of: RelayWorld, name: string, count: number): Promise<TestWorkspace[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => of.workspace(`${name} ${index}`)))

/** Makes every change of these rows in a table fail. */
const breakRows = (of: RelayWorld, table: string, which: string): Promise<void> =>
  of.run(`
    create function broken_${table}() returns trigger language plpgsql as $$ begin raise exception 'broken'; end $$;
    create trigger broken before update or delete on ${table} for each row when (${which}) execute function broken_${table}()`)

const round = (of: RelayWorld): Promise<void> => cleanUp(of.service, new AbortController().signal)

/** What operators see of the last round. */
const failures = async (of: RelayWorld): Promise<unknown[]> =>
  (await cleanUpFailures(of.service.db)).map(({ tableName, workspace, others, error }) => [
    tableName,
    workspace,
    others,
    error,
  ])

test('cleanup: the log has a failure in one workspace, and the others are cleaned up', async () => {
  const [broken, sound] = await workspacesOf(world, 'tidy', 2)
  assert.ok(broken && sound)
  for (const { id } of [broken, sound]) {
    await world.run(`
      insert into idempotency_key (workspace_id, key, fingerprint, message_ids, created_at)
      select ${id}, n::text, '', '{}', facteur_now() - interval '3 days' from generate_series(1, 6000) n;
      insert into request_rate (workspace_id, bucket, seconds, passed) select ${id}, n::text, '{1}', '{1}' from generate_series(1, 6000) n`)
  }
  await breakRows(world, 'idempotency_key', `old.workspace_id = ${broken.id}`)
  errors.length = 0
  await round(world)
  assert.deepEqual(
    errors.map((fields) => Object(fields).workspaceId),
    [broken.id],
  )
  for (const [{ id }, left] of [
    [broken, 6000],
    [sound, 0],
  ] as const) {
    const [row] = await world.service.db.rows<{ keys: number; counters: number }>(sql`
      select (select count(*) from idempotency_key where workspace_id = ${id}) as keys,
        (select count(*) from request_rate where workspace_id = ${id} and seconds = '{1}') as counters`)
    assert.deepEqual(row, { keys: left, counters: 0 })
  }
  assert.deepEqual(await failures(world), [['idempotency_key', 'tidy-0', 0, 'broken']])
})

test('cleanup: a failure of what the installation has once holds up neither the rest of it nor a workspace, and is named until it ends', async () => {
  const of = await startRelayWorld({ log: quiet })
  const [first, second, sound] = await workspacesOf(of, 'once', 3)
  assert.ok(first && second && sound)
  await of.run(`
    insert into ses_notice (id, received_at) values ('old', facteur_now() - interval '1 year');
    insert into destination (name, changed_at, next_free_at) values ('old.example', facteur_now() - interval '8 days', facteur_now())`)
  for (const { id } of [first, second, sound])
    await of.run(`
      insert into former_provider (workspace_id, version, choice, secret, heard_until)
      values (${id}, 1, '{}', null, facteur_now() - interval '1 second');
      insert into request_rate (workspace_id, bucket, seconds, passed) values (${id}, 'old', '{1}', '{1}')`)
  await breakRows(of, 'ses_notice', 'true')
  await breakRows(of, 'former_provider', `old.workspace_id in (${first.id}, ${second.id})`)
  await round(of)
  const left = await of.service.db.onlyRow(sql`
    select (select count(*)::int from ses_notice) as notices, (select count(*)::int from destination) as destinations,
      array(select workspace_id::int from former_provider order by workspace_id) as providers,
      (select count(*)::int from request_rate where bucket = 'old') as counters`)
  assert.deepEqual(left, {
    notices: 1,
    destinations: 0,
    providers: [first.id, second.id].toSorted((a, b) => a - b),
    counters: 0,
  })
  assert.deepEqual(await failures(of), [
    ['former_provider', first.id < second.id ? 'once-0' : 'once-1', 1, 'broken'],
    ['ses_notice', null, 0, 'broken'],
  ])

  await of.run('drop trigger broken on ses_notice; drop trigger broken on former_provider')
  await round(of)
  assert.deepEqual(await failures(of), [])
})

test('cleanup: events and the journal of thirty days stay, older ones go; so does a webhook whose deletion was left half-way', async () => {
  const [workspace] = await workspacesOf(world, 'tidy events', 1)
  assert.ok(workspace)
  const { id } = workspace
  const [stored, hidden] = [
    '019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e40',
    '019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e41',
  ]
  await world.run(`
    insert into webhook (workspace_id, id, name, url, host, events, secret, deleted_at, created_at, updated_at)
    select ${id}, hook::uuid, '', '', '', '{}', '', case when hook = '${hidden}' then facteur_now() end, facteur_now(), facteur_now()
    from unnest('{${stored},${hidden}}'::text[]) hook;
    insert into event (workspace_id, id, place, type, body, created_at)
    select ${id}, facteur_event_id(at, n), nextval('event_order'), 'email.sent', '{}', at
    from generate_series(1, 5003) n cross join lateral (
      select facteur_now() + case when n > 5000 then interval '10 days' else interval '0' end as at) moment;
    insert into webhook_delivery (workspace_id, webhook_id, event_id, type, created_at)
    select ${id}, hook, event.id, type, event.created_at from event, unnest('{${stored},${hidden}}'::uuid[]) hook where workspace_id = ${id}`)
  // A partition of events goes when the last of it is thirty days old.
  await world.moveClock('34 days')
  await round(world)
  const [row] = await world.service.db.rows<object>(sql`
    select (select count(*) from event where workspace_id = ${id}) as events,
      (select count(*) from webhook_delivery where workspace_id = ${id}) as entries,
      (select array_agg(id::text) from webhook where workspace_id = ${id}) as webhooks`)
  assert.deepEqual(row, { events: 3, entries: 3, webhooks: [stored] })
})
