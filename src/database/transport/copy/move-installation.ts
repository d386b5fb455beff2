/**
 * Moves an installation to another database while its service runs (docs/decisions/0050-moves.md):
 *
 * 1. Capture the keys of all rows that change from now on.
 * 2. Copy every table; make the indexes.
 * 3. Apply what has changed meanwhile, until that is little.
 * 4. Read both databases whole, at one moment of the source, and compare them.
 * 5. Stop the intake, let the work end, apply the rest, and decide: one commit of the source.
 * 6. Read the source once more, which nothing changes any longer, and compare it with what the
 *    target had when it moved.
 *
 * Killed anywhere before the decision, the source is the installation, and the next run goes on.
 * After it, the target is.
 */
import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import type { CountedRows } from '../row-digest.ts'
import { connect, type Connection } from '../../client/connect.ts'
import { databaseOn } from '../../client/camel-case-rows.ts'
import { applyChanges } from '../apply-changes.ts'
import { capturedTables, countLogs, forgetChanges, startCapture } from '../change-capture.ts'
import type { CopiedTable } from '../copied-tables.ts'
import { beginSnapshot, inTransactionOf, withCopyClient } from '../copy-client.ts'
import { copyLeaves } from './copy-leaves.ts'
import {
  databaseCopy,
  digestsOfMove,
  forgetProcesses,
  recordCopy,
  recordCopyProgress,
  takeCopyLocks,
} from '../copy-state.ts'
import { countForPlanner, forgetLeaves, makeIndexes, validateForeignKeys } from './copy-target.ts'
import { readSource, type CopySource } from './read-source.ts'
import { differing, digestTables, shareOfReads, type TableDigests } from '../table-digests.ts'
import { isUnfinished, workspaceMoves } from '../move/workspace-moves.ts'
import { OperatorError } from '../../../ground/operator-error.ts'
import type { Move, MoveInstallation } from './move.ts'
import { nextOfMove } from '../move/next-of-move.ts'
import { openTarget } from './open-target.ts'
import { checkProcesses, switchOver } from './switch-over.ts'

export interface MovedInstallation {
  tables: number
  rows: number
  /** Of COPY's binary format, as far as this run passed them. */
  bytes: number
  /** Rows that changed while the tables were copied. */
  changes: number
  /**
   * From the stop of the intake until all processes worked on the target. Null means an earlier run
   * had moved it.
   */
  downtimeMs: number | null
  processes: number
  /** Tables whose rows were others when it moved; none, or the move is not to be trusted. */
  differing: string[]
}

/**
 * Throws `OperatorError` where it cannot be done; the source is the installation then, as before.
 */
export async function moveInstallation(options: MoveInstallation): Promise<MovedInstallation> {
  const db = connect({
    connectionString: options.from,
    poolSize: 1,
    applicationName: 'facteur copy',
  })
  try {
    return await withClients(options, async (source, target) => {
      const move: Move = {
        ...options,
        db,
        source,
        target,
        copied: { rows: 0, bytes: 0, share: 0 },
        changes: 0,
      }
      await takeLocks(move)
      const known = await databaseCopy(db)
      if (known?.state === 'moved')
        return finish(move, await readSource(source), { downtimeMs: null, processes: 0 })
      await refuseWorkspaceMove(db)
      const endBeats = beat(move)
      try {
        const result = await fill(move, known)
        const digests = await compare(move, result)
        await catchUp(move, result.tables, digests)
        await options.beforeSwitch()
        await catchUp(move, result.tables, digests)
        return await finish(move, result, await switchOver(move, result, { digests, endBeats }))
      } finally {
        await endBeats()
      }
    })
  } catch (error) {
    throw options.signal.aborted ? await stopped(db) : error
  } finally {
    await db.end()
  }
}

/** Its triggers and the rows of two cells would be copied as they are in the middle of it. */
async function refuseWorkspaceMove(db: Connection): Promise<void> {
  const move = (await workspaceMoves(db)).find(isUnfinished)
  if (move)
    throw new OperatorError(
      `Workspace ${move.slug} is on its way from cell ${move.fromCell} to cell ${move.toCell}. ${nextOfMove(move)} Nothing was changed.`,
    )
}

async function stopped(db: Connection): Promise<OperatorError> {
  const copy = await databaseCopy(db).catch(() => null)
  return new OperatorError(
    copy?.state === 'moved'
      ? 'Stopped after the switch: the installation is in the target. Give the same line once more, which compares the old database with it.'
      : 'Stopped. Nothing was switched: the copy goes on when the same line is given again, and --abort gives it up.',
  )
}

/** An abort cancels what they run. */
const withClients = <T>(
  { from, to, signal }: MoveInstallation,
  work: (source: pg.Client, target: pg.Client) => Promise<T>,
): Promise<T> =>
  withCopyClient(
    from,
    (source) => withCopyClient(to, (target) => work(source, target), signal),
    signal,
  )

/** How long the upkeep of partitions may take that runs at this moment. */
const upkeepMs = 60_000

async function takeLocks({ source, clock, progress, signal }: Move): Promise<void> {
  const locks = databaseOn(source)
  for (const endsAtMs = clock.monotonicMs() + upkeepMs; ; await clock.sleep(500, signal)) {
    const taken = await takeCopyLocks(locks)
    if (taken === 'taken') return
    if (taken === 'copying')
      throw new OperatorError('A copy of this database is running already. It was left alone.')
    if (clock.monotonicMs() > endsAtMs)
      throw new OperatorError('The upkeep of partitions has not ended: try again later.')
    progress('Waiting for the upkeep of partitions')
  }
}

const beatMs = 2_000

/** Shows to all that the copy goes on. Answers what ends it. */
function beat({ db, clock, copied }: Move): () => Promise<void> {
  const stopping = new AbortController()
  const beating = (async () => {
    while (!stopping.signal.aborted) {
      await recordCopyProgress(db, { rows: copied.rows, share: copied.share }).catch(
        () => undefined,
      )
      await clock.sleep(beatMs, stopping.signal).catch(() => undefined)
    }
  })()
  return async () => {
    stopping.abort()
    await beating
  }
}

/** Steps 1 to 3. */
async function fill(
  move: Move,
  known: Awaited<ReturnType<typeof databaseCopy>>,
): Promise<CopySource> {
  const { db, source, target, signal, progress, onProgress, copied } = move
  const result = await readSource(source)
  // What changed while a table was not captured is not known.
  const captured = await capturedTables(source)
  const isKnown =
    known?.target === move.targetName && result.tables.every(({ name }) => captured.has(name))
  const copy = isKnown ? known.copy : randomUUID()
  progress('Preparing the copy')
  const { continues } = await openTarget({ to: move.to, source: result, copy, progress, signal })
  await forgetProcesses(db)
  await recordCopy(db, { copy, target: move.targetName, sealedTarget: move.sealedTarget })
  await startCapture(source, result.tables, { progress, signal })
  await move.failpoints?.hit('move.captured')
  // Before hours of work; it is asked once more at the switch.
  await checkProcesses(move)
  progress(continues ? 'Copying the rows that an earlier run did not' : 'Copying the rows')
  const { rows, bytes } = await copyLeaves({
    ...{ from: source, to: target, tables: result.tables, signal },
    onProgress(at) {
      Object.assign(copied, at)
      onProgress({ step: 'rows', ...at })
    },
  })
  Object.assign(copied, { rows, bytes, share: 1 })
  await move.failpoints?.hit('move.copied')
  progress('Building the indexes')
  await makeIndexes(target, {
    signal,
    onIndex: (done, of) => onProgress({ step: 'indexes', ...copied, share: done / of }),
  })
  await countForPlanner(target, result.tables)
  await catchUp(move, result.tables)
  return result
}

/** A round that changes so few rows, or so quickly, leaves little for the last step. */
const little = { rows: 200, ms: 250 }
const roundsMax = 20

async function catchUp(
  move: Move,
  tables: readonly CopiedTable[],
  digests?: Map<string, CountedRows>,
): Promise<void> {
  const { source, clock, signal } = move
  // Each round is shorter than the one before, unless more comes than the target takes.
  for (let round = 0; round < roundsMax; round++) {
    signal.throwIfAborted()
    const beganAtMs = clock.monotonicMs()
    await countLogs(source, tables)
    const rows = await inTransactionOf(source, beginSnapshot, () =>
      applySnapshot(move, tables, digests),
    )
    if (rows <= little.rows || clock.monotonicMs() - beganAtMs < little.ms) return
  }
  throw new OperatorError(
    'Changes come faster than the target takes them. Nothing was switched; the copy stays ready: run it again when less is written.',
  )
}

/**
 * Within a snapshot of the source. What the target has taken is forgotten at the source only
 * afterwards.
 */
async function applySnapshot(
  move: Move,
  tables: readonly CopiedTable[],
  digests?: Map<string, CountedRows>,
): Promise<number> {
  const { source, target } = move
  const applied = await inTransactionOf(target, 'begin', () =>
    applyChanges({ from: source, to: target, tables, digests }),
  )
  await forgetChanges(source, applied.tables)
  move.changes += applied.rows
  return applied.rows
}

/** Step 4. Answers the counts and digests that both have. */
async function compare(move: Move, { tables }: CopySource): Promise<Map<string, CountedRows>> {
  const { source, target, copied, progress, onProgress, signal } = move
  progress('Comparing every row')
  return inTransactionOf(source, beginSnapshot, async () => {
    await applySnapshot(move, tables)
    const onBytes = shareOfReads(tables, 2, (share) =>
      onProgress({ step: 'check', ...copied, share }),
    )
    const digestOf = (client: pg.Client) => digestTables(client, tables, { onBytes, signal })
    const [expected, result] = await Promise.all([digestOf(source), digestOf(target)])
    const wrong = differing(expected, result)
    if (wrong.length === 0) return new Map(result)
    await forgetLeaves(
      target,
      tables.filter(({ name }) => wrong.includes(name)),
    )
    throw new OperatorError(
      `The copy differs from the database in ${wrong.join(', ')}. Nothing was switched; the next run copies these tables again.`,
    )
  })
}

/** Step 6, and what can wait until everybody works again. */
async function finish(
  move: Move,
  { tables }: CopySource,
  switched: Pick<MovedInstallation, 'downtimeMs' | 'processes'>,
): Promise<MovedInstallation> {
  const { db, source, target, copied, changes, progress, onProgress, signal } = move
  if (switched.downtimeMs === null) {
    move.onMoved(0)
    await move.activate(move.to)
  }
  progress('Comparing the old database with what has moved')
  await validateForeignKeys(target)
  const moved: TableDigests = await digestsOfMove(db)
  const onBytes = shareOfReads(tables, 1, (share) =>
    onProgress({ step: 'last check', ...copied, share }),
  )
  const wrong = differing(await digestTables(source, tables, { onBytes, signal }), moved)
  const rows = [...moved.values()].reduce((sum, table) => sum + table.rows, 0)
  return {
    tables: tables.length,
    rows,
    bytes: copied.bytes,
    changes,
    ...switched,
    differing: wrong,
  }
}
