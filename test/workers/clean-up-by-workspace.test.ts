/** The clean-up goes workspace by workspace: a failure in one is logged, and the others are cleaned up. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Service } from '../../src/core/context.ts'
import { sql } from '../../src/db/connection/sql.ts'
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

/** Makes every change of a workspace's rows in a table fail. */
async function breakTable(of: RelayWorld, table: string, { id }: TestWorkspace): Promise<void> {
  await of.run(`
    create function broken_${table}() returns trigger language plpgsql as $$ begin raise exception 'broken'; end $$;
    create trigger broken before update or delete on ${table} for each row when (old.workspace_id = ${id}) execute function broken_${table}()`)
}

test('cleanup: the log has a failure in one workspace, and the others are cleaned up', async () => {
  const [broken, sound] = await workspacesOf(world, 'tidy', 2)
  assert.ok(broken && sound)
  for (const { id } of [broken, sound]) {
    await world.run(`
      insert into idempotency_key (workspace_id, key, fingerprint, message_ids, created_at)
      select ${id}, n::text, '', '{}', facteur_now() - interval '3 days' from generate_series(1, 6000) n;
      insert into request_rate (workspace_id, bucket, seconds, passed) select ${id}, n::text, '{1}', '{1}' from generate_series(1, 6000) n`)
  }
  await breakTable(world, 'idempotency_key', broken)
  errors.length = 0
  await cleanUp(world.service, new AbortController().signal)
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
})

test('cleanup: events and the journal of thirty days stay, older ones go; so does a webhook whose deletion was left half-way', async () => {
  const [workspace] = await workspacesOf(world, 'tidy events', 1)
  assert.ok(workspace)
  const { id } = workspace
  const [kept, hidden] = ['019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e40', '019aa5a1-7f00-7c31-9a5e-3b1f6c2d8e41']
  await world.run(`
    insert into webhook (workspace_id, id, name, url, host, events, secret, deleted_at, created_at, updated_at)
    select ${id}, hook::uuid, '', '', '', '{}', '', case when hook = '${hidden}' then facteur_now() end, facteur_now(), facteur_now()
    from unnest('{${kept},${hidden}}'::text[]) hook;
    insert into event (workspace_id, id, place, type, body, created_at)
    select ${id}, facteur_event_id(at, n), nextval('event_order'), 'email.sent', '{}', at
    from generate_series(1, 5003) n cross join lateral (
      select facteur_now() + case when n > 5000 then interval '10 days' else interval '0' end as at) moment;
    insert into webhook_delivery (workspace_id, webhook_id, event_id, type, created_at)
    select ${id}, hook, event.id, type, event.created_at from event, unnest('{${kept},${hidden}}'::uuid[]) hook where workspace_id = ${id}`)
  // A partition of events goes when the last of it is thirty days old.
  await world.moveClock('34 days')
  await cleanUp(world.service, new AbortController().signal)
  const [row] = await world.service.db.rows<object>(sql`
    select (select count(*) from event where workspace_id = ${id}) as events,
      (select count(*) from webhook_delivery where workspace_id = ${id}) as entries,
      (select array_agg(id::text) from webhook where workspace_id = ${id}) as webhooks`)
  assert.deepEqual(row, { events: 3, entries: 3, webhooks: [kept] })
})
