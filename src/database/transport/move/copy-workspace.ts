/**
 * Copies the rows of a workspace to its new cell, applies what changes meanwhile, and compares
 * every row of both.
 */
import type { CountedRows } from '../row-digest.ts'
import { copiedTablesOf, recordWorkspaceProgress, setCopiedTables } from './workspace-moves.ts'
import { retrying } from '../../client/retrying.ts'
import { beginSnapshot, inTransactionOf } from '../copy-client.ts'
import { differing } from '../table-digests.ts'
import { captureWorkspace } from './workspace-capture.ts'
import {
  applyChangesOf,
  copyRowsOf,
  countRows,
  deleteRowsOf,
  digestRowsOf,
} from './workspace-rows.ts'
import { addPartitions } from './workspace-target.ts'
import { OperatorError } from '../../../ground/operator-error.ts'
import type { OpenMove } from './open-move.ts'
import { dueTable } from '../../schema/late-tables.ts'
import { letWorkspaceGo } from './let-workspace-go.ts'

/** Steps 1 and 2. */
export async function copyWorkspace(move: OpenMove): Promise<void> {
  const {
    db,
    from,
    to,
    tables,
    lateTables,
    workspaceId,
    progress,
    onProgress,
    signal,
    failpoints,
  } = move
  progress('Preparing the move')
  // A run that was killed may have left the gate closed.
  await letWorkspaceGo(move)
  // Workers of the new cell mark how far they have indexed. Nothing changes what is due but the
  // rows that it shows.
  const guarded = [...tables, ...lateTables.filter(({ name }) => name !== dueTable)]
  await captureWorkspace(to, { ...move, tables: guarded, part: 'closing' })
  const isWhole = await captureWorkspace(from, { ...move, part: 'open' })
  // What changed while a table was not captured is not known.
  if (!isWhole) await setCopiedTables(db, workspaceId, [])
  await failpoints?.hit('workspace.captured')
  await addPartitions(move, move)
  const copied = await copiedTablesOf(db, workspaceId)
  progress(copied.length > 0 ? 'Copying the rows that an earlier run did not' : 'Copying the rows')
  const counts = new Map<string, number>()
  for (const table of tables) counts.set(table.name, await countRows(from, { workspaceId, table }))
  const all = Math.max(
    1,
    [...counts.values()].reduce((sum, count) => sum + count, 0),
  )
  let rows = 0
  for (const table of tables) {
    const count = counts.get(table.name) ?? 0
    if (!copied.includes(table.name)) {
      signal.throwIfAborted()
      await deleteRowsOf(to, { ...move, table, onRows: () => undefined })
      let bytes = 0
      await copyRowsOf(move, {
        ...{ workspaceId, table, signal },
        onBytes(more) {
          bytes += more
          const within = Math.min(count, bytes / bytesOfRow)
          onProgress({
            step: 'rows',
            share: Math.min(1, (rows + within) / all),
            rows: Math.round(rows + within),
          })
        },
      })
      copied.push(table.name)
      await setCopiedTables(db, workspaceId, copied)
      await recordWorkspaceProgress(db, { workspaceId, share: Math.min(1, (rows + count) / all) })
      await failpoints?.hit('workspace.copied_table')
    }
    rows += count
  }
  await failpoints?.hit('workspace.copied')
  await catchUp(move)
}

/** For the progress within a table. */
const bytesOfRow = 300

/**
 * A round that changes so few rows, or so quickly, leaves little for the last step. Of a busy
 * database more must do, after some rounds.
 */
const little = { rows: 200, ms: 250 }

const busy = { rounds: 8, ms: 5_000 }

const roundsMax = 50

export async function catchUp(move: OpenMove, digests?: Map<string, CountedRows>): Promise<void> {
  const { clock, signal } = move
  for (let round = 0; round < roundsMax; round++) {
    signal.throwIfAborted()
    const beganAtMs = clock.monotonicMs()
    const rows = await applySnapshot(move, digests)
    const ms = clock.monotonicMs() - beganAtMs
    if (rows <= little.rows || ms < little.ms || (round >= busy.rounds && ms < busy.ms)) return
  }
  throw new OperatorError(
    'Changes come faster than the other cell takes them. Nothing was switched: run it again when less is written.',
  )
}

/**
 * Workers of the new cell find rows there before they are refused, and may meet them in another
 * order: who is chosen begins again.
 */
export async function applySnapshot(
  move: OpenMove,
  digests?: Map<string, CountedRows>,
): Promise<number> {
  const known = digests && [...digests]
  const rows = await retrying(() => {
    for (const [name, counted] of known ?? []) digests?.set(name, counted)
    return inTransactionOf(move.from, beginSnapshot, () =>
      applyChangesOf(move, { ...move, digests }),
    )
  })
  move.changes += rows
  return rows
}

/** Step 3. Answers the counts and digests that both have. */
export async function compareCells(move: OpenMove): Promise<Map<string, CountedRows>> {
  const { db, from, to, tables, workspaceId, progress, onProgress, signal, failpoints } = move
  progress('Comparing every row')
  const [expected, byKey] = [new Map<string, CountedRows>(), new Map<string, CountedRows>()]
  await inTransactionOf(from, beginSnapshot, async () => {
    move.changes += await applyChangesOf(move, { ...move, digests: undefined })
    for (const [at, table] of tables.entries()) {
      onProgress({ step: 'check', share: at / tables.length, rows: 0 })
      const [a, b] = await Promise.all(
        [from, to].map((client) => digestRowsOf(client, { workspaceId, table, signal })),
      )
      if (a && b) {
        expected.set(table.name, a)
        byKey.set(table.name, b)
      }
    }
  })
  await recordWorkspaceProgress(db, { workspaceId, share: 1 })
  const wrong = differing(expected, byKey)
  if (wrong.length > 0) {
    const copied = await copiedTablesOf(db, workspaceId)
    await setCopiedTables(
      db,
      workspaceId,
      copied.filter((name) => !wrong.includes(name)),
    )
    throw new OperatorError(
      `The copy differs in ${wrong.join(', ')}. Nothing was switched; the next run copies these tables again.`,
    )
  }
  await failpoints?.hit('workspace.compared')
  return byKey
}
