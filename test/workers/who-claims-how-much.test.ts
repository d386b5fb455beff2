/**
 * The workers' turns: the limits of claims, the order of workspaces, and the isolation of failures
 * (semantics 2).
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../../src/ground/clock.ts'
import type { Service } from '../../src/core/context.ts'
import { sql } from '../../src/database/client/sql.ts'
import { takePermits } from '../../src/db/sending/provider-rates.ts'
import { createDeliverDue } from '../../src/entrypoints/workers/deliver-due.ts'
import { createSlots } from '../../src/entrypoints/workers/slots.ts'
import { startWorkers } from '../../src/entrypoints/workers/start-workers.ts'
import type { TestWorkspace } from '../support/api.ts'
import {
  handedOver,
  ledger,
  ledgerRow,
  startRelayWorld,
  untilNothingLeased,
  type RelayWorld,
} from '../support/relay-world.ts'
import { until } from '../support/until.ts'

let frozen: Promise<void> | undefined
const errors: object[] = []
const quiet: Service['log'] = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: (fields) => void errors.push(fields),
}
const world = await startRelayWorld({
  log: quiet,
  failpoints: {
    hit: (name) => (name === 'hand_off.before_provider' ? frozen : undefined),
    broken: () => false,
  },
})

/** Hand-offs stop before the provider until they are thawed. */
function freeze(): { thaw: () => void } {
  const thaw = Promise.withResolvers<void>()
  frozen = thaw.promise
  return {
    thaw() {
      frozen = undefined
      thaw.resolve()
    },
  }
}

/** Due messages of a due workspace. */
async function waiting(
  of: RelayWorld,
  workspace: TestWorkspace,
  count: number,
  body: object = {},
): Promise<string[]> {
  const scheduled = { scheduled_at: new Date(Date.now() + 3_600_000).toISOString(), ...body }
  const ids = await Promise.all(
    Array.from({ length: count }, () => handedOver(of, workspace, scheduled)),
  )
  await of.run(
    `update recipient set next_at = facteur_now() where message_id = any ('{${ids.join()}}')`,
  )
  await of.run(
    `update due set next_at = facteur_now() where workspace_id = ${workspace.id} and lane = 'transactional'`,
  )
  return ids
}

const workspacesOf = (of: RelayWorld, name: string, count: number): Promise<TestWorkspace[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => of.workspace(`${name} ${index}`)))

async function countLeased(of: RelayWorld): Promise<number> {
  const [row] = await of.service.db.rows<{ count: number }>(
    sql`select count(*) from recipient where state = 'leased'`,
  )
  return row?.count ?? 0
}

/** Real workers, until `done`. */
async function workUntil(of: RelayWorld, done: () => boolean | Promise<boolean>): Promise<void> {
  const workers = startWorkers(of.service)
  try {
    await until(done)
  } finally {
    await workers.stop(5_000)
  }
}

/** Makes every change of a workspace's rows in a table fail. */
async function breakTable(of: RelayWorld, table: string, { id }: TestWorkspace): Promise<void> {
  await of.run(`
    create function broken_${table}() returns trigger language plpgsql as $$ begin raise exception 'broken'; end $$;
    create trigger broken before update or delete on ${table} for each row when (old.workspace_id = ${id}) execute function broken_${table}()`)
}

test('turns at the same time claim no more than the connections that are free', async () => {
  const workspaces = await workspacesOf(world, 'many', 15)
  for (const workspace of workspaces) await waiting(world, workspace, 2)
  const free = world.service.providers.deployment.free()
  assert.ok(free < 15)
  const { thaw } = freeze()
  const slots = createSlots(world.service)
  const deliver = createDeliverDue(world.service, slots)
  const turns = await Promise.all(workspaces.map(({ id }) => deliver(id, 1, () => undefined)))
  assert.equal(await countLeased(world), free)
  assert.equal(turns.filter((turn) => turn === 'full').length, 15 - free)
  thaw()
  await untilNothingLeased(world.service)
  assert.equal(
    slots.of(1).free(),
    world.service.providers.deployment.free(),
    'places were not released',
  )
  for (const { id } of workspaces)
    await world.run(`update recipient set state = 'settled' where workspace_id = ${id}`)
})

test('a turn gives back the permits that it did not use', async () => {
  const limited = await startRelayWorld({ ratePerSecond: 20 })
  const workspace = await limited.workspace('limited')
  await waiting(limited, workspace, 1)
  const deliver = createDeliverDue(limited.service, createSlots(limited.service))
  for (let turns = 0; turns < 5; turns++) await deliver(workspace.id, 10, () => undefined)
  await untilNothingLeased(limited.service)
  assert.ok((await takePermits(limited.service.countingDb, 'smtp-relay', 20, 100)) >= 19)
})

test('a process holds at most its bytes, but for one message; messages beyond go back and leave later', async (t) => {
  const [first, second] = await workspacesOf(world, 'heavy', 2)
  assert.ok(first && second)
  const body = { text: 'x'.repeat(4_000) }
  const ids = [
    ...(await waiting(world, first, 4, body)),
    ...(await waiting(world, second, 4, body)),
  ]
  const { thaw } = freeze()
  t.after(thaw)
  const slots = createSlots(world.service, 10_000)
  const deliver = createDeliverDue(world.service, slots)
  const both = (): Promise<unknown[]> =>
    Promise.all([first, second].map(({ id }) => deliver(id, 5, () => undefined)))
  await both()
  // Three messages are 12,000 bytes: two and one more. Two turns at once may each leave the last
  // slot to the other.
  const leased = await countLeased(world)
  assert.ok(leased === 2 || leased === 3, `${leased} are held`)
  await both()
  assert.ok((await countLeased(world)) <= 3)
  if ((await countLeased(world)) === 3) assert.deepEqual(await both(), ['full', 'full'])
  thaw()
  await untilNothingLeased(world.service)
  for (let turns = 0; turns < 4; turns++) {
    await both()
    await untilNothingLeased(world.service)
  }
  for (const id of ids) {
    const workspace = ids.indexOf(id) < 4 ? first : second
    assert.partialDeepStrictEqual(await ledgerRow(world, workspace, id), {
      status: 'sent',
      attempts: 1,
      doubts: 0,
      troubles: 0,
    })
  }
  assert.equal(slots.of(first.id).bytesFree(), 10_000)
})

test('the bytes of a message count once, for any number of recipients', async () => {
  const workspace = await world.workspace('shared')
  const to = Array.from({ length: 8 }, (_, index) => `reader${index}@example.com`)
  const [id = ''] = await waiting(world, workspace, 1, { to, text: 'x'.repeat(4_000) })
  const slots = createSlots(world.service, 5_000)
  await createDeliverDue(world.service, slots)(workspace.id, 8, () => undefined)
  await untilNothingLeased(world.service)
  const rows = await ledger(world, workspace, id)
  assert.deepEqual([rows.length, rows.every((row) => row.status === 'sent')], [8, true])
})

test('more workspaces than one round takes: each has had a turn before any has had its third', async () => {
  const workspaces = await workspacesOf(world, 'queue', 60)
  for (const workspace of workspaces) await waiting(world, workspace, 3)
  const before = world.peer.mails.length
  const mails = () => world.peer.mails.slice(before)
  await workUntil(world, () => mails().length === 180)
  const firstHalf = new Set(
    mails()
      .slice(0, 110)
      .map((mail) => mail.from),
  )
  assert.equal(firstHalf.size, 60)
})

test('a workspace whose turns fail rests alone; the others go on', async () => {
  const [broken, sound] = await workspacesOf(world, 'trouble', 2)
  assert.ok(broken && sound)
  await waiting(world, broken, 1)
  await waiting(world, sound, 60)
  await breakTable(world, 'recipient', broken)
  const before = world.peer.mails.length
  errors.length = 0
  const startedAtMs = systemClock.monotonicMs()
  await workUntil(world, () => world.peer.mails.length === before + 60)
  const restsMax = 2 + (systemClock.monotonicMs() - startedAtMs) / 1000
  assert.ok(errors.length > 0 && errors.length <= restsMax, `${errors.length} turns failed`)
  assert.partialDeepStrictEqual(errors[0], { workspaceId: broken.id })
  await world.run('drop trigger broken on recipient')
})
