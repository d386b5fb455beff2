/**
 * The gate through which the changes of a workspace pass while it moves: who opens it that a move
 * has left closed, and in which cell. Moves that come back meanwhile, and processes that die:
 * test/cells/moves-that-return.test.ts.
 */
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { releaseOverdue } from '../../../src/database/transport/move/release-overdue.ts'
import { createWorkspace } from '../../../src/core/workspaces/create-workspace.ts'
import { sql } from '../../../src/database/client/sql.ts'
import { copiedTables } from '../../../src/database/transport/copied-tables.ts'
import { withCopyClient } from '../../../src/database/transport/copy-client.ts'
import {
  captureWorkspace,
  closeGate,
  openGate,
} from '../../../src/database/transport/move/workspace-capture.ts'
import {
  beginWorkspaceMove,
  pauseWorkspace,
} from '../../../src/database/transport/move/workspace-moves.ts'
import { freshDatabase, runOn } from '../../support/database.ts'
import { until } from '../../support/until.ts'

/** As a move leaves a workspace that was killed while the old cell refused changes. */
async function leaveClosed(t: TestContext) {
  const { url, connection: db } = await freshDatabase(t)
  const { id: workspaceId, databaseId: cell } =
    (await createWorkspace({ db }, { name: 'Moving' })) ?? assert.fail()
  await beginWorkspaceMove(db, { workspaceId, fromCell: cell, toCell: cell + 1 })
  await pauseWorkspace(db, workspaceId, 30)
  await withCopyClient(url, async (client) => {
    const requested = {
      workspaceId,
      progress: () => undefined,
      signal: new AbortController().signal,
    }
    const tables = (await copiedTables(client)).filter(({ name }) => name === 'due')
    await captureWorkspace(client, { ...requested, tables, part: 'open' })
    await closeGate(client, workspaceId)
  })
  return {
    ...{ url, db, workspaceId },
    setMove: (change: string) => runOn(url, `update workspace_move set ${change}`),
    /** What each look of each process asks for. `of`: the cell that it looks at. */
    release: ({ isOverdue, of = cell }: { isOverdue: boolean; of?: number }) =>
      releaseOverdue({ db, failpoints: null }, { db, cell: of }, { workspaceId, isOverdue }),
    /** The rows of the gate, and the state of the move. */
    state: () =>
      db.onlyRow(
        sql`select array(select part from move_gate order by part) as gate, (select state from workspace_move) as state`,
      ),
    /** A change of a table that moves. */
    write: () =>
      db.count(sql`
        insert into due (workspace_id, lane, next_at) values (${workspaceId}, 'domain', facteur_now())
        on conflict (workspace_id, lane) do update set next_at = excluded.next_at`),
  }
}

const refused = { code: 'FM001' }

/** Until so many statements wait for a lock. */
const waiting = (url: string, count: number) =>
  until(async () => {
    const waits = await runOn(
      url,
      `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
    )
    return waits.rowCount === count
  })

test('a hold that nobody ended is released: the gate is open, and the move may go on', async (t) => {
  const { release, setMove, state, write } = await leaveClosed(t)
  await assert.rejects(write(), refused)
  await setMove('held_until = facteur_now()')
  assert.equal(await release({ isOverdue: true }), true)
  assert.deepEqual(await state(), { gate: ['open'], state: 'copying' })
  await write()
})

test('a gate that was left closed without a hold is opened, once, whatever has become of the move', async (t) => {
  const { db, workspaceId, release, setMove, state, write } = await leaveClosed(t)
  for (const left of ['copying', 'moved', 'cleared']) {
    await setMove(`state = '${left}', held_until = null`)
    await assert.rejects(write(), refused)
    assert.equal(await release({ isOverdue: false }), true)
    assert.deepEqual(await state(), { gate: ['open'], state: left })
    await write()
    assert.equal(await release({ isOverdue: false }), false)
    await db.count(sql`update move_gate set part = 'closing' where workspace_id = ${workspaceId}`)
  }
})

test('a gate stays closed while its move holds the workspace, and in each cell that is not that of the workspace', async (t) => {
  const { release, setMove, state, write } = await leaveClosed(t)
  for (const isOverdue of [true, false]) assert.equal(await release({ isOverdue }), false)
  assert.deepEqual(await state(), { gate: ['closing'], state: 'held' })
  await setMove('held_until = facteur_now()')
  assert.equal(await release({ isOverdue: true, of: 7 }), false)
  for (const elsewhere of ['copying', 'moved', 'cleared']) {
    await setMove(`state = '${elsewhere}'`)
    assert.equal(await release({ isOverdue: false, of: 7 }), false)
  }
  await assert.rejects(write(), refused)
})

test('a gate that is opened while it closes waits for that, and never has no row', async (t) => {
  const { url, db, workspaceId, state, write } = await leaveClosed(t)
  await db.transaction((tx) => openGate(tx, workspaceId))
  const ends = await db.transaction(async (writer) => {
    await writer.count(
      sql`insert into due (workspace_id, lane, next_at) values (${workspaceId}, 'webhook', facteur_now())`,
    )
    const closing = withCopyClient(url, (client) => closeGate(client, workspaceId))
    await waiting(url, 1)
    await assert.rejects(write(), refused)
    const opening = db.transaction((tx) => openGate(tx, workspaceId))
    await waiting(url, 2)
    return [closing, opening]
  })
  await Promise.all(ends)
  assert.partialDeepStrictEqual(await state(), { gate: ['open'] })
  await write()
})
