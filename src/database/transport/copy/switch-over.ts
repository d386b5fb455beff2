/**
 * The switch of a move: stops the intake, lets the work end, applies the last changes, and decides
 * by one commit of the source (docs/decisions/0050-moves.md).
 */
import type pg from 'pg'
import type { CountedRows } from '../row-digest.ts'
import { waitAtMost } from '../../../ground/clock.ts'
import { readSequences } from '../read-snapshot.ts'
import { databaseOn } from '../../client/camel-case-rows.ts'
import { withShortLocks } from '../../schema/short-locks.ts'
import { applyChanges } from '../apply-changes.ts'
import { capturedTables, refuseChanges } from '../change-capture.ts'
import { beginSnapshot, inTransactionOf } from '../copy-client.ts'
import {
  databaseCopy,
  liveProcesses,
  recordMove,
  runningProcesses,
  setCopyState,
  type ProcessState,
} from '../copy-state.ts'
import { lockTables, restoreConstraints, setSequences } from './copy-target.ts'
import { readSource, type CopySource } from './read-source.ts'
import { OperatorError } from '../../../ground/operator-error.ts'
import type { Move } from './move.ts'

/**
 * How long processes may take to see a copy, to reach its target, to end their work, to let their
 * statements end, and to follow.
 */
const waits = { seeMs: 2_500, reachMs: 10_000, drainMs: 15_000, freezeMs: 5_000, followMs: 10_000 }

/** Step 5 of a move. */
export async function switchOver(
  move: Move,
  result: CopySource,
  { digests, endBeats }: { digests: Map<string, CountedRows>; endBeats: () => Promise<void> },
): Promise<{ downtimeMs: number; processes: number }> {
  const { db, clock, progress, signal } = move
  await clock.sleep(waits.seeMs, signal)
  const processes = await checkProcesses(move)
  progress('Stopping the intake')
  const beganAtMs = clock.monotonicMs()
  await endBeats()
  try {
    await setCopyState(db, 'draining')
    await waitForProcesses(move, ['drained'], waits.drainMs)
    await setCopyState(db, 'frozen')
    await waitForProcesses(move, ['frozen'], waits.freezeMs)
    await decide(move, result, digests)
  } catch (error) {
    // Whether the commit arrived is not known where the connection was lost with it.
    const now = await databaseCopy(db)
    if (now?.state !== 'moved') {
      await setCopyState(db, 'copying')
      throw error
    }
  }
  await move.failpoints?.hit('move.after_decision')
  move.onMoved(processes)
  await move.activate(move.to)
  await waitForProcesses(move, ['moved'], waits.followMs)
  return { downtimeMs: Math.round(clock.monotonicMs() - beganAtMs), processes }
}

/** Every process can follow, or is given a while until it can. Answers how many there are. */
export async function checkProcesses(move: Move): Promise<number> {
  const { db, clock, signal } = move
  for (const endsAtMs = clock.monotonicMs() + waits.reachMs; ; await clock.sleep(250, signal)) {
    const processes = await liveProcesses(db, 10)
    const obstacle = await obstacleOf(move, processes)
    if (obstacle === null) return processes.length
    if (clock.monotonicMs() > endsAtMs)
      throw new OperatorError(`${obstacle} Nothing was switched; the copy stays ready.`)
  }
}

async function obstacleOf(
  { from, servesOne }: Move,
  processes: { state: ProcessState }[],
): Promise<string | null> {
  if ((await runningProcesses(from)) > processes.length)
    return 'A process of an older version of Facteur works on this database, and would not follow: stop it first.'
  if (processes.some(({ state }) => state === 'unreachable'))
    return 'A process of the service cannot reach the target from where it runs.'
  if (servesOne && processes.length > 1)
    return `An embedded database serves one process, and ${processes.length} are running.`
  return null
}

/**
 * Until all that are alive are in this state, or longer than it may take: the locks of the next
 * step hold those back.
 */
async function waitForProcesses(
  { db, clock, signal }: Move,
  states: ProcessState[],
  withinMs: number,
): Promise<void> {
  const endsAtMs = clock.monotonicMs() + withinMs
  while (clock.monotonicMs() < endsAtMs) {
    signal.throwIfAborted()
    if ((await liveProcesses(db, 10)).every(({ state }) => states.includes(state))) return
    await clock.sleep(20)
  }
}

/**
 * How long the last step may wait for a table that is in use, and how long the target may take
 * while all tables are locked.
 */
const lockMs = 20_000
const targetMs = 20_000

/**
 * No writer passes its locks. The target commits first; the commit of the source decides. From then
 * on it refuses each change, by whichever process.
 */
async function decide(
  move: Move,
  result: CopySource,
  digests: Map<string, CountedRows>,
): Promise<void> {
  const { source, target, progress, signal: stopping } = move
  const { tables } = result
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(lockMs)])
  await withShortLocks(source, { what: 'The switch', progress, signal }, () =>
    inTransactionOf(source, beginSnapshot, async () => {
      await lockTables(source, tables, { idleMs: targetMs })
      await refuseOtherTables(source, result)
      await endAfter(move, targetMs, () =>
        inTransactionOf(target, 'begin', async () => {
          move.changes += (await applyChanges({ from: source, to: target, tables, digests })).rows
          await setSequences(target, await readSequences(source))
          await restoreConstraints(target, tables)
        }),
      )
      await move.failpoints?.hit('move.before_decision')
      stopping.throwIfAborted()
      await refuseChanges(source)
      await recordMove(databaseOn(source), digests)
    }),
  )
}

/**
 * A target that falls silent, or fails in the middle of a row, would keep the source locked: both
 * connections end.
 */
async function endAfter(
  { clock, source, target }: Move,
  ms: number,
  work: () => Promise<void>,
): Promise<void> {
  try {
    if (
      (await waitAtMost(
        clock,
        ms,
        work().then(() => 'done'),
      )) !== null
    )
      return
    throw new OperatorError(
      `The target took longer than ${ms / 1_000} s for the last changes. Nothing was switched; the copy stays ready.`,
    )
  } catch (error) {
    void target.end()
    void source.end()
    throw error
  }
}

/** A new version may have migrated the source, and an operator may have taken a trigger away. */
async function refuseOtherTables(source: pg.Client, result: CopySource): Promise<void> {
  const now = await readSource(source)
  const captured = await capturedTables(source)
  const isSame =
    JSON.stringify([now.migrations, now.partitions]) ===
      JSON.stringify([result.migrations, result.partitions]) &&
    result.tables.every(({ name }) => captured.has(name))
  if (!isSame)
    throw new OperatorError(
      'The tables of the database have changed since the copy began. Nothing was switched: run it again.',
    )
}
