/**
 * POST /suppression/imports: closes the addresses of a file that a person gives.
 *
 * 1. the file is put down as it comes: it is read more than once
 * 2. it is worked through behind the answer, and how far it is can be read meanwhile
 */
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { AnswerOf, InputOf } from '../../contract/operations.ts'
import type { SuppressionReason } from '../../contract/suppression.ts'
import { CsvError } from '../../csv/read-csv.ts'
import type { OpenBytes } from '../../csv/inspect-csv.ts'
import { insertSuppressionImport, moveSuppressionImport } from '../../db/suppression-imports.ts'
import type { SuppressionImportState } from '../../db/suppression-imports.ts'
import { OperatorError } from '../../operator-error.ts'
import type { CallContext } from '../context.ts'
import { recordAct } from '../people/record-act.ts'
import { findSuppressionImport } from './get-suppression-import.ts'
import { importSuppressions } from './import-suppressions.ts'

/** Refused lines that are kept. */
const refusalsMost = 1_000

export async function importSuppression(
  ctx: CallContext,
  { query, file }: InputOf<'importSuppression'>,
): Promise<AnswerOf<'importSuppression'>> {
  const folder = await mkdtemp(join(tmpdir(), 'facteur-suppression-'))
  const path = join(folder, 'file.csv')
  const drop = (): Promise<void> => rm(folder, { recursive: true, force: true })
  try {
    await pipeline(file, createWriteStream(path, { mode: 0o600 }))
    const id = ctx.makeId()
    await insertSuppressionImport(ctx.db, ctx.workspaceId, id)
    const open: OpenBytes = () => createReadStream(path)
    void work(ctx, { id, open, reason: query.reason ?? 'manual' })
      .catch((error: unknown) => ctx.log.error({ err: error, import: id }, 'An import of closed addresses broke off'))
      .finally(() => void drop())
    return { body: await findSuppressionImport(ctx, id) }
  } catch (error) {
    await drop()
    throw error
  }
}

async function work(ctx: CallContext, task: { id: string; open: OpenBytes; reason: SuppressionReason }): Promise<void> {
  const { db, workspaceId } = ctx
  const state: SuppressionImportState = {
    ...{ octets: 0, octetsDone: 0, lines: 0, added: 0, known: 0, refused: {}, refusals: [], failure: null, isFinished: false },
  }
  const tell = (): Promise<void> => moveSuppressionImport(db, workspaceId, task.id, state)
  try {
    const result = await importSuppressions(ctx, {
      ...{ open: task.open, workspaceId, reason: task.reason, signal: new AbortController().signal },
      onProgress: (progress) => Object.assign(state, progress),
      async onRefused(lines) {
        state.refusals = [...state.refusals, ...lines].slice(0, refusalsMost)
        await tell()
      },
      onBatch: ({ added, known, refused }) => {
        Object.assign(state, { added, known, refused: { ...refused } })
        return tell()
      },
    })
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
