/**
 * Runs an import in a worker: a dry run or a real one, with progress after each batch. It ends when
 * asked to. If a process dies, another continues after the last committed batch.
 */
import { CsvError } from '../../../ground/csv/read-csv.ts'
import { insertAuditEntries } from '../../../db/audit/audit-entries.ts'
import type { Database } from '../../../database/client/database.ts'
import { passesLater } from '../../../database/client/database-errors.ts'
import { dropRefusals } from '../../../db/audience/import-lists.ts'
import {
  endRun,
  returnFile,
  recordProgress,
  type FileCounts,
  type FileFailure,
  type LockedFile,
} from '../../../db/audience/subscriber-files.ts'
import { finishedImport, type ImportState } from '../../../db/audience/subscriber-imports.ts'
import { insertImportRefusals } from '../../../db/files/import-refusals.ts'
import { OperatorError } from '../../../ground/operator-error.ts'
import type { Context, RowKey } from '../../context.ts'
import { chosenColumns } from './columns/import-columns.ts'
import type { EndedImport } from './engine/import-input.ts'
import { applySuppressions, importSubscribers } from './engine/import-subscribers.ts'
import { dropAllPieces, readPieces } from '../../files/file-pieces.ts'
import { readTargets } from './read-import-plan.ts'
import { StoppedReading, UnansweredQuestions } from './columns/unanswered-questions.ts'

/** A batch takes less than a second; a worker that reported nothing for this long is gone. */
export const leaseSeconds = 60

const refusalsAtOnce = 5_000

/** Between two reports while a file is read before its first line is stored, in milliseconds. */
const readingMs = 500

/** `stopping`: the process ends, and the file is released. */
export async function runImport(
  ctx: Context,
  { workspaceId, file, stopping }: { workspaceId: number; file: LockedFile; stopping: AbortSignal },
): Promise<void> {
  const { id, fence } = file
  try {
    const result = await run(ctx, workspaceId, file, stopping)
    const counts = countsOf(result)
    const importId = file.state === 'importing' ? result.id : null
    if (!result.finished && stopping.aborted)
      return await returnFile(ctx.db, workspaceId, id, fence)
    const state =
      file.state === 'importing'
        ? result.finished
          ? 'imported'
          : 'stopped'
        : result.finished
          ? 'tried'
          : 'kept'
    const ended = await ctx.db.transaction(async (tx) => {
      const end = { id, fence, state, counts, importId, failure: null } as const
      if (!(await endRun(tx, workspaceId, end))) return false
      if (file.state === 'importing')
        await recordEndOfImport(ctx, tx, { workspaceId, file, counts })
      return true
    })
    // Another worker that took it meanwhile still reads the pieces.
    if (ended && state === 'imported') await dropAllPieces(ctx.db, workspaceId, id)
  } catch (error) {
    // Its lease expires, and the next worker tries again.
    if (passesLater(error)) throw error
    if (error instanceof StoppedReading) {
      if (stopping.aborted) return await returnFile(ctx.db, workspaceId, id, fence)
      const state = file.state === 'importing' ? 'stopped' : 'kept'
      await endRun(ctx.db, workspaceId, {
        id,
        fence,
        state,
        counts: null,
        importId: null,
        failure: null,
      })
      return
    }
    const failure = failureOf(error)
    const ended = await endRun(ctx.db, workspaceId, {
      id,
      fence,
      state: 'failed',
      counts: null,
      importId: null,
      failure,
    })
    if (ended && failure.rule === 'internal')
      ctx.log.error({ err: error, workspaceId, importId: id }, 'An import failed')
  }
}

/** The file's name alone is in the entry of its beginning: how many came is known now. */
async function recordEndOfImport(
  ctx: Context,
  tx: Database,
  { workspaceId, file, counts }: { workspaceId: number; file: LockedFile; counts: FileCounts },
): Promise<void> {
  const { added, updated } = counts
  const refused = Object.values(counts.refused).reduce((sum, count) => sum + count, 0)
  await insertAuditEntries(tx, workspaceId, [
    {
      ...{ id: ctx.makeId(), userId: null, who: file.person, ip: null },
      ...{ act: 'subscribers.import_ended', subject: file.name },
      details: JSON.stringify({ id: file.id, new: added, updated, refused }),
    },
  ])
}

async function run(
  ctx: Context,
  workspaceId: number,
  file: LockedFile,
  stopping: AbortSignal,
): Promise<EndedImport> {
  const { id, name, targets, tags, consent, statusWords, tagSeparators, createdAt, fence } = file
  const { apiKeyId } = file
  const person = apiKeyId === null ? file.person : null
  const dryRun = file.state === 'trying'
  // The previous worker ended between its last line and its report.
  const done = dryRun ? null : await finishedImport(ctx.db, workspaceId, id)
  await dropAllRefusals(ctx, { workspaceId, id })
  const request = new AbortController()
  let reported: Promise<void> = Promise.resolve()
  const report = async (state: ImportState | null, bytesDone: number): Promise<void> => {
    const importId = dryRun || state === null ? null : state.id
    const goesOn = await recordProgress(ctx.db, workspaceId, {
      ...{ id, fence, counts: state && countsOf(state), bytesDone, importId, leaseSeconds },
    })
    if (!goesOn) request.abort()
  }
  // One after the other. A failed report does not end the import, since the next one follows.
  const reportNext = (state: ImportState | null, bytesDone: number): void => {
    reported = reported.then(() => report(state, bytesDone)).catch(() => undefined)
  }
  let readAt = -Infinity
  const importing = { ...ctx, openLinkTokens: () => Promise.resolve(ctx.linkTokens) }
  if (done) {
    await applySuppressions(importing, {
      workspaceId,
      importId: done.id,
      reportAlive: () => void report(done, file.bytes).catch(() => undefined),
    })
    return { ...done, resumedAt: done.recordsDone, finished: true }
  }
  const result = await importSubscribers(importing, {
    workspaceId,
    open: () => readPieces(ctx.db, workspaceId, file),
    fileName: name,
    columnsOf: (headers) => chosenColumns(headers, readTargets(targets)),
    ...{ tags, consent, statusWords, tagSeparators, person, apiKeyId },
    onReading: (bytesDone) => {
      const now = ctx.clock.monotonicMs()
      if (now - readAt < readingMs) return
      readAt = now
      reportNext(null, bytesDone)
    },
    since: createdAt,
    dryRun,
    onProgress: ({ state, bytesDone }) => reportNext(state, bytesDone),
    // A real run stores its refusals with its batches.
    onRefused: (lines) =>
      dryRun && lines.length > 0
        ? insertImportRefusals(ctx.db, workspaceId, id, lines)
        : Promise.resolve(),
    signal: AbortSignal.any([request.signal, stopping]),
  })
  await reported
  return result
}

/** Deletes the refusals of an earlier dry run. */
export async function dropAllRefusals(
  { db }: Pick<Context, 'db'>,
  { workspaceId, id }: RowKey,
): Promise<void> {
  while ((await dropRefusals(db, workspaceId, id, refusalsAtOnce)) === refusalsAtOnce);
}

const countsOf = ({ recordsDone, added, updated, refused }: ImportState): FileCounts => ({
  ...{ people: recordsDone, added, updated, refused },
})

function failureOf(error: unknown): FileFailure {
  if (error instanceof CsvError) return { rule: error.rule, line: String(error.line) }
  if (error instanceof UnansweredQuestions) {
    const { words, separators } = error
    return {
      rule: words.length > 0 ? 'status_words' : 'tag_separators',
      words: [...words],
      separators: [...separators],
    }
  }
  if (error instanceof OperatorError) return { rule: 'refused', text: error.message }
  return { rule: 'internal' }
}
