/**
 * Rows that are due at addresses that were suppressed: a turn of a worker completes them, holds no
 * slots for it and does not spin.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../../src/database/client/sql.ts'
import { upsertSuppression } from '../../../src/db/suppression/suppressions.ts'
import { createDeliverDue } from '../../../src/entrypoints/workers/deliver-due.ts'
import { createSlots } from '../../../src/entrypoints/workers/slots.ts'
import type { TestWorkspace } from '../../support/api.ts'
import { runOn } from '../../support/database.ts'
import { handedOver, ledgerRow, startRelayWorld } from '../../support/relay-world.ts'
import { until } from '../../support/until.ts'

const world = await startRelayWorld()
const { service } = world
const { url } = world.database
const places = createSlots(service)
const turn = createDeliverDue(service, places)

/**
 * Accepts mail that the relay defers, suppresses its addresses without completing the rows, and has
 * the rows due.
 */
async function suppressedRows(workspace: TestWorkspace, emails: string[]): Promise<string[]> {
  world.answer(({ phase }) => (phase === 'rcpt' ? '450 4.2.1 try again later' : undefined))
  const ids: string[] = []
  for (const email of emails) ids.push(await handedOver(world, workspace, { to: email }))
  world.answer(undefined)
  for (const email of emails)
    await upsertSuppression(service.db, workspace.id, {
      id: service.makeId(),
      email,
      reason: 'manual',
      sourceId: null,
    })
  await runOn(
    url,
    `update recipient set next_at = facteur_now() where workspace_id = ${workspace.id}`,
  )
  return ids
}

/** Runs this PL/pgSQL before a row of the workspace is settled for its suppression. */
const beforeFinalizing = (workspace: TestWorkspace, name: string, body: string): Promise<unknown> =>
  runOn(
    url,
    `create function ${name}() returns trigger language plpgsql as $$ begin ${body} end $$;
    create trigger ${name} before update on recipient for each row
    when (new.workspace_id = ${workspace.id} and new.error = 'suppressed: manual') execute function ${name}()`,
  )

const suppressed = { status: 'failed', state: 'settled', error: 'suppressed: manual' }

test('slots are free while rows to suppressed addresses are completed, all of a turn in one transaction', async () => {
  const workspace = await world.workspace('suppressed places')
  const ids = await suppressedRows(workspace, ['one@example.com', 'two@example.com'])
  await beforeFinalizing(
    workspace,
    'wait_for_the_test',
    'perform pg_advisory_xact_lock_shared(815); return new;',
  )
  await runOn(url, 'create table settled_in (transaction xid8)')
  await beforeFinalizing(
    workspace,
    'write_transaction',
    'insert into settled_in values (pg_current_xact_id()); return new;',
  )
  const here = places.of(workspace.id)
  const free = here.free()
  let ended: Promise<unknown> | undefined
  await service.db.transaction(async (tx) => {
    await tx.rows(sql`select pg_advisory_xact_lock(815)`)
    ended = turn(workspace.id, 100, () => undefined)
    const waiting = `select from pg_locks where locktype = 'advisory' and not granted and objid = 815`
    await until(
      () => runOn(url, waiting),
      ({ rowCount }) => rowCount !== 0,
    )
    assert.equal(here.free(), free)
  })
  assert.equal(await ended, 'more')
  for (const id of ids)
    assert.partialDeepStrictEqual(await ledgerRow(world, workspace, id), suppressed)
  const { rows } = await runOn(
    url,
    'select count(*)::int as rows, count(distinct transaction)::int as transactions from settled_in',
  )
  assert.deepEqual(rows, [{ rows: 2, transactions: 1 }])
})

test('a deadlock or a serialization failure while such rows are completed is tried again', async () => {
  const workspace = await world.workspace('suppressed deadlocks')
  const [id = ''] = await suppressedRows(workspace, ['three@example.com'])
  await runOn(url, 'create sequence tries')
  await beforeFinalizing(
    workspace,
    'fail_twice',
    `case nextval('tries') when 1 then raise 'a deadlock' using errcode = '40P01'; when 2 then raise 'a conflict' using errcode = '40001'; else return new; end case;`,
  )
  assert.equal(await turn(workspace.id, 100, () => undefined), 'more')
  assert.partialDeepStrictEqual(await ledgerRow(world, workspace, id), suppressed)
})

test('such a row that cannot be completed is no work: the worker pauses before its next turn', async () => {
  const workspace = await world.workspace('suppressed for ever')
  const [id = ''] = await suppressedRows(workspace, ['four@example.com'])
  await beforeFinalizing(workspace, 'keep_it', 'return null;')
  for (let turns = 0; turns < 3; turns++)
    assert.equal(await turn(workspace.id, 100, () => undefined), 'full')
  assert.partialDeepStrictEqual(await ledgerRow(world, workspace, id), {
    status: 'queued',
    state: 'pending',
  })
})
