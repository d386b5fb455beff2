/**
 * A workspace whose move was killed in its last step goes on in its cell: whichever commit of that
 * a process dies at, and whenever the move comes back meanwhile. A move switches while the old cell
 * refuses changes, or not at all.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../../src/ground/clock.ts'
import { moveWorkspace } from '../../src/database/transport/move/move-workspace.ts'
import { releaseOverdue } from '../../src/database/transport/move/release-overdue.ts'
import { createWorkspace } from '../../src/core/workspaces/create-workspace.ts'
import { homeCell } from '../../src/database/cells/cell-changes.ts'
import { findCellOf } from '../../src/database/cells/cells.ts'
import { copiedTables } from '../../src/database/transport/copied-tables.ts'
import { withCopyClient } from '../../src/database/transport/copy-client.ts'
import {
  captureWorkspace,
  closeGate,
  openGate,
} from '../../src/database/transport/move/workspace-capture.ts'
import {
  beginWorkspaceMove,
  pauseWorkspace,
} from '../../src/database/transport/move/workspace-moves.ts'
import { movedRows } from '../../src/entrypoints/cli/moved-rows.ts'
import { createOperator } from '../cli/facteur.ts'
import { playOnce } from '../faults/scenario.ts'
import { freshDatabase, runOn, testCell, type TestDatabase } from '../support/database.ts'
import { settingsOf } from '../support/fault-process.ts'
import { mailTo, openWorld } from '../support/fault-world.ts'
import { restartPort } from '../support/fault-port.ts'
import { patient } from '../support/callers.ts'
import { until } from '../support/until.ts'
import { rowsOfWorkspace } from './rows-of-workspace.ts'
import { makeTwoCells } from './two-cells-database.ts'

const skip = testCell === null ? false : 'it makes its own second cell'
const twoCells = skip ? freshDatabase : await makeTwoCells()

type Scope = Parameters<typeof twoCells>[0]

/** The rows of the gate in a cell, and the state of the move. */
async function stateOf(
  url: string,
  schema = 'public',
): Promise<{ gate: string[]; state: string | null }> {
  const { rows } = await runOn(
    url,
    `select array(select part from ${schema}.move_gate order by part) as gate, (select state from workspace_move) as state`,
  )
  return rows[0] as { gate: string[]; state: string | null }
}

const endPause = (url: string) => runOn(url, 'update workspace_move set held_until = facteur_now()')

const refused = { code: 'FM001' }
/** A change of a table that moves. */
const write = ({ url, workspaceId }: Moving) =>
  runOn(
    url,
    `insert into due (workspace_id, lane, next_at) values (${workspaceId}, 'domain', facteur_now())
     on conflict (workspace_id, lane) do update set next_at = excluded.next_at`,
  )

/** Until so many statements wait for a lock. */
const waiting = (url: string, count: number) =>
  until(async () => {
    const { rowCount } = await runOn(
      url,
      `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
    )
    return rowCount === count
  })

/** Failpoints of which one holds until it is let go. */
function pausing(location: string) {
  const [reached, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  return {
    failpoints: {
      hit: (name: string) => (name === location ? (reached.resolve(), go.promise) : undefined),
      broken: () => false,
    },
    reached: reached.promise,
    go: go.resolve,
  }
}

type Paused = ReturnType<typeof pausing>['failpoints'] | null

type Moving = TestDatabase & { workspaceId: number }

/** A workspace of cell 1, and its move to cell 2 in this process. */
async function begin(scope: Scope) {
  const database = await twoCells(scope)
  const { url, connection: db } = database
  const workspace = (await createWorkspace({ db }, { name: 'Moving' })) ?? assert.fail()
  const release = (isOverdue: boolean, failpoints: Paused = null) =>
    releaseOverdue(
      { db, failpoints },
      { db, cell: homeCell.id },
      { workspaceId: workspace.id, isOverdue },
    )
  return {
    ...{ ...database, db, release, workspaceId: workspace.id },
    move: (failpoints: Paused = null) =>
      moveWorkspace({
        workspace: { ...workspace, cell: workspace.databaseId },
        ...{ connectionString: url, toCell: 2, moved: movedRows },
        ...{ clock: systemClock, failpoints },
        ...{
          progress: () => undefined,
          onProgress: () => undefined,
          signal: new AbortController().signal,
        },
      }),
    cell: () => findCellOf(db, workspace.id),
    /** As a move leaves it that was killed while the old cell refused changes. */
    async leaveClosed(): Promise<void> {
      await beginWorkspaceMove(db, { workspaceId: workspace.id, fromCell: 1, toCell: 2 })
      await pauseWorkspace(db, workspace.id, 30)
      await withCopyClient(url, async (client) => {
        const requested = {
          workspaceId: workspace.id,
          progress: () => undefined,
          signal: new AbortController().signal,
        }
        const tables = (await copiedTables(client)).filter(({ name }) => name === 'due')
        await captureWorkspace(client, { ...requested, tables, part: 'open' })
        await closeGate(client, workspace.id)
      })
    },
  }
}

for (const { place: location, left } of [
  { place: 'workspace.reopened', left: { gate: ['open'], state: 'held' } },
  { place: 'workspace.released', left: { gate: ['open'], state: 'copying' } },
])
  test(
    `a process that is killed at ${location} leaves a workspace that goes on, and its move too`,
    { skip },
    () =>
      playOnce(async (run) => {
        const world = await openWorld(run, { database: await twoCells(run) })
        const port = await restartPort()
        const operator = createOperator(
          settingsOf({ databaseUrl: world.url, port, smtpUrl: null, failpoints: [], settings: {} }),
        )
        const killed = await operator.run(['workspace', 'move', 'faults', '2'], {
          FACTEUR_FAILPOINTS: 'workspace.closed:kill',
        })
        assert.notEqual(killed.code, 0)
        assert.deepEqual(await stateOf(world.url), { gate: ['closing'], state: 'held' })
        await endPause(world.url)
        const died = await world.start({
          role: 'api',
          port,
          smtpUrl: null,
          failpoints: [`${location}:kill`],
          settings: patient,
        })
        assert.equal(await died.ended, 'SIGKILL')
        assert.deepEqual(await stateOf(world.url), left)

        await world.start({ role: 'api', port, smtpUrl: null, settings: patient })
        await until(async () => (await stateOf(world.url)).state === 'copying')
        assert.deepEqual(await stateOf(world.url), { gate: ['open'], state: 'copying' })
        const sent = await fetch(`${world.addressOf(port)}/api/v1/emails`, {
          method: 'POST',
          headers: { authorization: `Bearer ${world.apiKey}`, 'content-type': 'application/json' },
          body: JSON.stringify(mailTo(world, 'reader@example.test')),
        })
        assert.equal(sent.status, 202)
        await operator.json(['workspace', 'move', 'faults', '2'])
        assert.deepEqual(await rowsOfWorkspace(world.url, 'public', world.workspaceId), [])
      }),
  )

test(
  'a move that returns between the look and the lock switches with the gate closed',
  { skip },
  async (t) => {
    const moving = await begin(t)
    const { url, release, leaveClosed, move, cell, workspaceId } = moving
    await leaveClosed()
    await endPause(url)
    const polled = pausing('workspace.overdue')
    const releasing = release(true, polled.failpoints)
    await polled.reached
    const closed = pausing('workspace.before_switch')
    const returned = move(closed.failpoints)
    await closed.reached
    polled.go()
    assert.equal(await releasing, false)
    assert.deepEqual(await stateOf(url), { gate: ['closing'], state: 'held' })
    await assert.rejects(write(moving), refused)
    closed.go()
    await returned
    assert.equal(await cell(), 2)
    assert.deepEqual(await rowsOfWorkspace(url, 'public', workspaceId), [])
  },
)

test(
  'a move that returns while a process releases its workspace waits for that, and does not switch',
  { skip },
  async (t) => {
    const moving = await begin(t)
    const { url, release, move, cell } = moving
    const closed = pausing('workspace.before_switch')
    const returned = move(closed.failpoints)
    await closed.reached
    await endPause(url)
    const reopened = pausing('workspace.reopened')
    const releasing = release(true, reopened.failpoints)
    await reopened.reached
    // A change that no copy has.
    await write(moving)
    closed.go()
    await waiting(url, 1)
    assert.equal(await cell(), 1)
    reopened.go()
    assert.equal(await releasing, true)
    await assert.rejects(returned, /The last step took too long: the workspace goes on in its cell/)
    assert.equal(await cell(), 1)
    await write(moving)
    await move()
    assert.equal(await cell(), 2)
  },
)

test(
  'a move does not switch whose gate another one has opened, such as a process of the previous release',
  { skip },
  async (t) => {
    const moving = await begin(t)
    const { db, move, cell, workspaceId } = moving
    const closed = pausing('workspace.before_switch')
    const returned = move(closed.failpoints)
    await closed.reached
    await db.transaction((tx) => openGate(tx, workspaceId))
    await write(moving)
    closed.go()
    await assert.rejects(returned, /Nothing was switched/)
    assert.equal(await cell(), 1)
  },
)
