/**
 * POST /suppression/imports: closes the addresses of a file that a person gives.
 *
 * 1. the file is put down as it comes: it is read more than once
 * 2. no other file of the workspace is worked on
 * 3. it is worked through behind the answer, and how far it is can be read meanwhile; when the process stops, it is told as interrupted
 */
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { ApiError } from '../../contract/errors.ts'
import type { AnswerOf, InputOf } from '../../contract/operations.ts'
import type { SuppressionReason } from '../../contract/suppression.ts'
import { CsvError } from '../../csv/read-csv.ts'
import type { OpenBytes } from '../../csv/inspect-csv.ts'
import { insertSuppressionImport, leaveSuppressionImport, moveSuppressionImport } from '../../db/suppression-imports.ts'
import type { SuppressionImportState } from '../../db/suppression-imports.ts'
import { OperatorError } from '../../operator-error.ts'
import type { CallContext } from '../context.ts'
import { recordAct } from '../people/record-act.ts'
import { findSuppressionImport } from './get-suppression-import.ts'
import { importSuppressions } from './import-suppressions.ts'

/** Refused lines that are kept. */
const refusalsMost = 1_000

const folderPrefix = 'facteur-suppression-'

/** A file is never worked on for so long. */
const leftMs = 24 * 3_600_000

export async function importSuppression(
  ctx: CallContext,
  { query, file }: InputOf<'importSuppression'>,
): Promise<AnswerOf<'importSuppression'>> {
  await dropLeft(ctx)
  const folder = await mkdtemp(join(tmpdir(), folderPrefix))
  const path = join(folder, 'file.csv')
  const drop = (): Promise<void> => rm(folder, { recursive: true, force: true })
  try {
    await pipeline(file, createWriteStream(path, { mode: 0o600 }))
    const id = ctx.makeId()
    if (!(await ctx.db.transaction((tx) => insertSuppressionImport(tx, ctx.workspaceId, id))))
      throw new ApiError('conflict', { reason: 'running' })
    const open: OpenBytes = () => createReadStream(path)
    const body = await findSuppressionImport(ctx, id)
    ctx.asides.begin(async (stopping) => {
      try {
        await work(ctx, { id, open, reason: query.reason ?? 'manual', stopping })
      } finally {
        await drop()
        await leaveSuppressionImport(ctx.db, ctx.workspaceId, id)
      }
    })
    return { body }
  } catch (error) {
    await drop()
    throw error
  }
}

/** Takes away what processes that were killed left behind. */
async function dropLeft({ clock }: CallContext): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(folderPrefix)) continue
    const path = join(tmpdir(), name)
    // Somebody else may take it away at the same time.
    const made = await stat(path).catch(() => null)
    if (made && clock.now().getTime() - made.mtimeMs > leftMs)
      await rm(path, { recursive: true, force: true }).catch(() => undefined)
  }
}

interface Task {
  id: string
  open: OpenBytes
  reason: SuppressionReason
  stopping: AbortSignal
}

async function work(ctx: CallContext, task: Task): Promise<void> {
  const { db, workspaceId } = ctx
  const state: SuppressionImportState = {
    ...{ octets: 0, octetsDone: 0, lines: 0, added: 0, known: 0, refused: {}, refusals: [], failure: null, isFinished: false },
  }
  let kept = 0
  const tell = async (): Promise<void> => {
    await moveSuppressionImport(db, workspaceId, task.id, state)
    state.refusals = []
  }
  try {
    const result = await importSuppressions(ctx, {
      ...{ open: task.open, workspaceId, reason: task.reason, signal: task.stopping },
      onProgress: (progress) => Object.assign(state, progress),
      async onRefused(lines) {
        state.refusals = lines.slice(0, refusalsMost - kept)
        kept += state.refusals.length
        await tell()
      },
      onBatch: ({ added, known, refused }) => {
        Object.assign(state, { added, known, refused: { ...refused } })
        return tell()
      },
    })
    if (!result.finished) return
    const { lines, added, known, refused } = result
    Object.assign(state, { lines, added, known, refused, isFinished: true })
    await db.transaction(async (tx) => {
      const total = Object.values(refused).reduce((sum, count) => sum + count, 0)
      await moveSuppressionImport(tx, workspaceId, task.id, state)
      await recordAct(tx, ctx, { act: 'suppression.imported', subject: `${lines}`, details: { added, known, refused: total } })
    })
  } catch (error) {
    const failure = error instanceof CsvError ? `csv_${error.rule}` : error instanceof OperatorError ? 'no_address_column' : null
    if (failure === null) throw error
    Object.assign(state, { failure, isFinished: true })
    await tell()
  }
}
