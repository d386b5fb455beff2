/**
 * Runs an import without storing: the same checks, always from the beginning of the file. One
 * transaction remembers the addresses seen, so that a duplicate in the file is reported as in a
 * real run.
 */
import {
  alreadyKnown,
  beginKnownAddresses,
  markKnown,
} from '../../../../db/audience/known-addresses.ts'
import type { ImportState } from '../../../../db/audience/subscriber-imports.ts'
import { validateBatch, subscribersOfRows } from './import-batch.ts'
import type { ImportRun, EndedImport, ImportContext } from './import-input.ts'

export function rehearseImport(ctx: ImportContext, run: ImportRun): Promise<EndedImport> {
  return ctx.db.transaction(async (tx) => {
    await beginKnownAddresses(tx)
    let state: ImportState = { id: ctx.makeId(), recordsDone: 0, added: 0, updated: 0, refused: {} }
    for await (const batch of run.from(0)) {
      if (run.signal.aborted) return { ...state, resumedAt: 0, finished: false }
      const addresses = await alreadyKnown(
        tx,
        batch.rows.map(({ email }) => email),
      )
      const subscribers = subscribersOfRows(ctx, { ...run, rows: batch.rows }).map((row) =>
        addresses.has(row.email) ? { ...row, again: true } : row,
      )
      const { after, refused } = await validateBatch(tx, run, {
        ...{ state, batch, subscribers, asksMax: null },
      })
      const refusedLines = new Set(refused.map(({ line }) => line))
      await markKnown(
        tx,
        subscribers.flatMap(({ line, email }) => (refusedLines.has(line) ? [] : [email])),
      )
      await run.onRefused(refused, run.layout)
      run.onProgress({ state: after, bytesDone: batch.bytesDone, bytes: run.bytes })
      state = after
    }
    return { ...state, resumedAt: 0, finished: true }
  })
}
