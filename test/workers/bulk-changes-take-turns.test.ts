/**
 * Changes of many contacts by several worker processes: one process at a time works on a workspace,
 * no look of another delays it, and each workspace gets its turn.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { workBulkChange } from '../../src/core/audience/bulk/work-bulk-change.ts'
import type { Service } from '../../src/core/context.ts'
import { claimBulkChange } from '../../src/db/audience/bulk/bulk-changes.ts'
import { sql } from '../../src/database/client/sql.ts'
import { dueWorkspaces } from '../../src/db/sending/due.ts'
import {
  createBulkBounds,
  workBulkChanges,
} from '../../src/entrypoints/workers/work-bulk-changes.ts'
import { startApi, type TestWorkspace } from '../support/api.ts'
import { callVerb } from '../support/call-verb.ts'
import { until } from '../support/until.ts'

const api = await startApi({ workers: false })
const { service } = api
const { db } = service

/** Contacts of which a turn works off less than all. */
const many = 450
const fill = (workspaceId: number, count = many): Promise<unknown> =>
  db.count(sql`
    insert into subscriber (workspace_id, id, email, status, created_at, updated_at)
    select ${workspaceId}, ('01990000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid,
      'person' || n || '@example.test', 'subscribed', facteur_now(), facteur_now()
    from generate_series(1, ${count}::int) n`)
const begin = async ({ id }: TestWorkspace, tag: string): Promise<string> => {
  const body = { selection: { matching: {} }, tag }
  return (await callVerb(service, id, 'tagContacts', { body })).id
}
const changeOf = (id: string) =>
  db.onlyRow<{ state: string; done: number; changed: number; leftOut: object }>(
    sql`select state, done, changed, left_out from bulk_change where id = ${id}`,
  )
/** Does something at a failpoint, as another process does it meanwhile. */
const meanwhile = (failpoint: string, act: () => Promise<unknown>): Service => ({
  ...service,
  failpoints: {
    hit: async (name) => {
      if (name === failpoint) await act()
    },
    broken: () => false,
  },
})
/** The service, and how many transactions found contacts. */
const counted = (): { counting: Service; freezes: () => number } => {
  let freezes = 0
  const segmentDb = new Proxy(service.segmentDb, {
    get(of, name) {
      if (name === 'transaction') freezes++
      const part = Reflect.get(of, name) as unknown
      return typeof part === 'function' ? (part.bind(of) as unknown) : part
    },
  })
  return { counting: { ...service, segmentDb }, freezes: () => freezes }
}
const turn = (of: Service, { id }: TestWorkspace) => workBulkChanges(of, id, createBulkBounds())

test('a change is due again after each batch, also where another process looked while it was leased', async () => {
  const workspace = await api.workspace('two-processes')
  await fill(workspace.id)
  const change = await begin(workspace, 'vip')
  let checked: unknown = null
  const working = meanwhile('bulk.batch', async () => {
    checked = await turn(service, workspace)
  })
  assert.equal(await turn(working, workspace), 'full')
  assert.ok(checked !== null && checked !== 'full')
  assert.deepEqual(await dueWorkspaces(db, 'bulk', 50, []), [workspace.id])
  await turn(service, workspace)
  await turn(service, workspace)
  assert.equal((await changeOf(change)).state, 'completed')
  assert.equal((await changeOf(change)).changed, many)
})

test('processes that claim at once claim one change of a workspace', async () => {
  const workspace = await api.workspace('claimed')
  await fill(workspace.id, 1)
  for (let round = 0; round < 10; round++) {
    for (const tag of ['a', 'b', 'c', 'd']) await begin(workspace, tag)
    const claims = await Promise.all(
      Array.from({ length: 6 }, () =>
        claimBulkChange(db, workspace.id, { leaseSeconds: 60, reach: 'many' }),
      ),
    )
    assert.equal(claims.filter((claim) => claim !== null).length, 1)
    await db.count(sql`
      update bulk_change set slot = null, next_at = null, state = 'stopped'
      where workspace_id = ${workspace.id}`)
  }
})

test('a workspace whose batch is worked off goes behind the others', async () => {
  const workspaces = await Promise.all(['one', 'two', 'three'].map((name) => api.workspace(name)))
  const changes: string[] = []
  for (const workspace of workspaces) {
    await fill(workspace.id)
    changes.push(await begin(workspace, 'vip'))
  }
  await db.count(sql`delete from due where workspace_id <> all (${workspaces.map(({ id }) => id)})`)
  for (let round = 0; round < 2; round++)
    for (const id of await dueWorkspaces(db, 'bulk', 2, []))
      await workBulkChanges(service, id, createBulkBounds())
  for (const change of changes) assert.ok((await changeOf(change)).done > 0)
})

test('a change that begins beside one that goes on finds its contacts once', async () => {
  const workspace = await api.workspace('begun')
  await fill(workspace.id, 3)
  await begin(workspace, 'first')
  const { counting, freezes } = counted()
  let store = (): void => undefined
  const stored = new Promise<void>((resolve) => (store = resolve))
  const worker = db.transaction(async (tx) => {
    await tx.count(sql`update due set next_at = facteur_now() where workspace_id = ${workspace.id}`)
    await stored
  })
  const body = { selection: { matching: {} }, tag: 'second' }
  const started = callVerb(counting, workspace.id, 'tagContacts', { body })
  await until(
    () =>
      db.value<number>(
        // Those of other tests' databases wait for something else.
        sql`select count(*)::int as waiting from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`,
      ),
    (waiting) => waiting === 1,
  )
  store()
  await worker
  assert.equal((await started).contacts, 3)
  assert.equal(freezes(), 1)
})

test('a change whose process is killed before it begins is stopped, and takes no room', async () => {
  const workspace = await api.workspace('killed')
  await fill(workspace.id, 3)
  const ended = new Proxy(service.db, {
    get(of, name) {
      if (name === 'transaction') return () => Promise.reject(new Error('the process ended'))
      const part = Reflect.get(of, name) as unknown
      return typeof part === 'function' ? (part.bind(of) as unknown) : part
    },
  })
  const body = { selection: { matching: {} }, tag: 'vip' }
  await assert.rejects(callVerb({ ...service, db: ended }, workspace.id, 'tagContacts', { body }))
  const changes = await db.rows(sql`
    select state, slot, next_at, contacts from bulk_change where workspace_id = ${workspace.id}`)
  assert.deepEqual(changes, [{ state: 'stopped', slot: null, nextAt: null, contacts: 3 }])
})

test('a change of one contact goes before those of many, beside the two of a process and one that another works on', async () => {
  const workspace = await api.workspace('one-first')
  await fill(workspace.id)
  const older = await begin(workspace, 'vip')
  const contact = await db.onlyValue<string>(sql`
    select id from subscriber where workspace_id = ${workspace.id} and email = 'person9@example.test'`)
  const makeOne = () =>
    callVerb(service, workspace.id, 'tagContacts', {
      body: { selection: { ids: [contact] }, tag: 'one' },
    })
  const single = await makeOne()
  assert.deepEqual([single.contact, single.contacts], [contact, 1])
  await turn(service, workspace)
  assert.equal((await changeOf(single.id)).state, 'completed')
  assert.equal((await changeOf(older)).done, 0)

  let ofOne = ''
  const working = meanwhile('bulk.claimed', async () => {
    const bounds = createBulkBounds()
    for (const other of [-1, -2]) bounds.ofMany.add(other)
    ofOne = (await makeOne()).id
    await workBulkChanges(service, workspace.id, bounds)
    assert.equal((await changeOf(ofOne)).state, 'completed')
  })
  await turn(working, workspace)
  assert.equal((await changeOf(older)).done, 200)
})

test('a tag that is asked to stop while a process has it adds nothing more', async () => {
  const workspace = await api.workspace('stopped')
  await fill(workspace.id)
  const change = await begin(workspace, 'vip')
  await turn(service, workspace)
  const working = meanwhile('bulk.claimed', () =>
    callVerb(service, workspace.id, 'stopBulkChange', { params: { id: change } }),
  )
  await workBulkChange(working, { workspaceId: workspace.id, reach: 'many' })
  const { state, done, changed } = await changeOf(change)
  assert.deepEqual({ state, done, changed }, { state: 'stopped', done: 200, changed: 200 })
})

test('a contact that ends each turn is left out after three times, and the others are changed', async () => {
  const workspace = await api.workspace('poisoned')
  await fill(workspace.id, 5)
  const change = await begin(workspace, 'vip')
  await db.count(sql`
    create function refuse_third() returns trigger language plpgsql as $$
      begin raise exception 'this contact cannot be changed'; end $$`)
  await db.count(sql`
    create trigger refuse_third before update on subscriber for each row
    when (old.email = 'person3@example.test') execute function refuse_third()`)
  const rounds = { worked: 0, failed: 0 }
  while ((await changeOf(change)).state !== 'completed' && rounds.failed < 10) {
    await db.count(sql`update bulk_change set next_at = facteur_now() where id = ${change}`)
    await workBulkChange(service, { workspaceId: workspace.id, reach: 'many' }).then(
      () => rounds.worked++,
      () => rounds.failed++,
    )
  }
  const { changed, leftOut } = await changeOf(change)
  assert.deepEqual({ changed, leftOut }, { changed: 4, leftOut: { failed: 1 } })
})
