/**
 * POST /suppression/imports: suppresses the addresses of a file that a user uploads.
 *
 * 1. check that no other import of the workspace is running
 * 2. store the file while it arrives, since it is read more than once; an upload that breaks off is
 *    deleted
 * 3. process it in the background and store the progress; if the process stops, the import shows as
 *    interrupted
 */
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { ApiError } from '../../contract/errors.ts'
import type { SuppressionReason } from '../../contract/suppression.ts'
import { CsvError } from '../../ground/csv/read-csv.ts'
import type { OpenBytes } from '../../ground/csv/inspect-csv.ts'
import { insertImportRefusals } from '../../db/files/import-refusals.ts'
import {
  dropSuppressionImport,
  insertSuppressionImport,
  storeSuppressionImport,
  leaveSuppressionImport,
  advanceSuppressionImport,
  type SuppressionImportState,
} from '../../db/files/suppression-imports.ts'
import { OperatorError } from '../../ground/operator-error.ts'
import type { CallContext } from '../context.ts'
import { recordAuditEntry } from '../audit/record-audit-entry.ts'
import { findSuppressionImport } from './get-suppression-import.ts'
import { importSuppressions } from './import-suppressions.ts'
import type { Verb } from '../verb.ts'

const folderPrefix = 'facteur-suppression-'

/**
 * The age after which a folder belongs to a lost process, in milliseconds: no import takes this
 * long.
 */
const leftMs = 24 * 3_600_000

/**
 * How often an upload refreshes its row, in milliseconds: after a minute without a refresh another
 * import may begin.
 */
const keptMs = 10_000

export const importSuppression: Verb<'importSuppression'> = async (ctx, { query, file }) => {
  await dropLeft(ctx)
  const id = ctx.makeId()
  if (!(await ctx.db.transaction((tx) => insertSuppressionImport(tx, ctx.workspaceId, id))))
    throw new ApiError('conflict', { reason: 'running' })
  const folder = join(tmpdir(), `${folderPrefix}${id}`)
  const path = join(folder, 'file.csv')
  const drop = (): Promise<void> => rm(folder, { recursive: true, force: true })
  try {
    await mkdir(folder, { mode: 0o700 })
    await pipeline(keeping(ctx, id, file), createWriteStream(path, { mode: 0o600 }))
    const open: OpenBytes = () => createReadStream(path)
    const body = await findSuppressionImport(ctx, id)
    ctx.backgroundTasks.begin(async (stopping) => {
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
    await dropSuppressionImport(ctx.db, ctx.workspaceId, id)
    throw error
  }
}

/** Passes the file on and refreshes its row, so that no other import begins meanwhile. */
async function* keeping(
  ctx: CallContext,
  id: string,
  file: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  let keptAt = ctx.clock.monotonicMs()
  for await (const piece of file) {
    yield piece
    if (ctx.clock.monotonicMs() - keptAt < keptMs) continue
    keptAt = ctx.clock.monotonicMs()
    await storeSuppressionImport(ctx.db, ctx.workspaceId, id)
  }
}

/** Deletes the folders that killed processes left behind. */
async function dropLeft({ clock }: CallContext): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(folderPrefix)) continue
    const path = join(tmpdir(), name)
    // Another process may delete it at the same time.
    const file = await stat(path).catch(() => null)
    if (file && clock.now().getTime() - file.mtimeMs > leftMs)
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
    ...{
      bytes: 0,
      bytesDone: 0,
      lines: 0,
      added: 0,
      known: 0,
      refused: {},
      failure: null,
      layout: null,
      isFinished: false,
    },
  }
  const advance = (): Promise<void> => advanceSuppressionImport(db, workspaceId, task.id, state)
  try {
    const result = await importSuppressions(ctx, {
      ...{ open: task.open, workspaceId, reason: task.reason, signal: task.stopping },
      onProgress: (progress) => Object.assign(state, progress),
      onRefused: async (lines, layout) => {
        state.layout = layout
        if (lines.length > 0) await insertImportRefusals(db, workspaceId, task.id, lines)
      },
      onBatch: ({ added, known, refused }) => {
        Object.assign(state, { added, known, refused: { ...refused } })
        return advance()
      },
    })
    if (!result.finished) return
    const { lines, added, known, refused } = result
    Object.assign(state, { lines, added, known, refused, isFinished: true })
    await db.transaction(async (tx) => {
      const total = Object.values(refused).reduce((sum, count) => sum + count, 0)
      await advanceSuppressionImport(tx, workspaceId, task.id, state)
      await recordAuditEntry(tx, ctx, {
        act: 'suppression.imported',
        subject: `${lines}`,
        details: { added, known, refused: total },
      })
    })
  } catch (error) {
    const failure =
      error instanceof CsvError
        ? `csv_${error.rule}`
        : error instanceof OperatorError
          ? 'no_address_column'
          : null
    if (failure === null) throw error
    Object.assign(state, { failure, isFinished: true })
    await advance()
  }
}
