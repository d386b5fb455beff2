/**
 * What processes learn of cells: a workspace in the last step of its move is one that their calls
 * and workers ask for by its number.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorkspace } from '../../../src/core/workspaces/create-workspace.ts'
import { cellStates } from '../../../src/database/cells/cell-changes.ts'
import {
  beginWorkspaceMove,
  pauseWorkspace,
  releaseWorkspace,
} from '../../../src/database/transport/move/workspace-moves.ts'
import { freshDatabase, runOn } from '../../support/database.ts'

test('a workspace is held for as long as the last step may take, is overdue afterwards, and unpaused before and after', async (t) => {
  const { url, connection: db } = await freshDatabase(t)
  const { id: workspaceId, databaseId: cell } =
    (await createWorkspace({ db }, { name: 'Moving' })) ?? assert.fail()
  const states = async () =>
    (await cellStates(db)).map(({ paused, overdue, unpaused }) => ({
      paused,
      overdue,
      unpaused,
    }))
  await beginWorkspaceMove(db, { workspaceId, fromCell: cell, toCell: cell + 1 })
  assert.deepEqual(await states(), [{ paused: [], overdue: [], unpaused: [workspaceId] }])
  await pauseWorkspace(db, workspaceId, 30)
  assert.deepEqual(await states(), [{ paused: [workspaceId], overdue: [], unpaused: [] }])
  await runOn(url, 'update workspace_move set held_until = facteur_now()')
  assert.deepEqual(await states(), [{ paused: [], overdue: [workspaceId], unpaused: [] }])
  assert.equal(await releaseWorkspace(db, workspaceId), true)
  assert.deepEqual(await states(), [{ paused: [], overdue: [], unpaused: [workspaceId] }])
})
