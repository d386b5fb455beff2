/**
 * A dry run: the same judgement with nothing stored. One transaction keeps the addresses it has seen, because one that comes again
 * must be told as it would be. Always from the beginning, whatever an interrupted import has stored.
 */
import { alreadySeen, beginSeen, noteSeen } from '../../db/subscribers/subscriber-imports.ts'
import type { ImportState } from '../../db/subscribers/subscriber-imports.ts'
import { validateBatch, subscribersOfRows } from './import-batch.ts'
import type { BegunImport, EndedImport, ImportContext } from './begun-import.ts'

export function rehearseImport(ctx: ImportContext, begun: BegunImport): Promise<EndedImport> {
  return ctx.db.transaction(async (tx) => {
    await beginSeen(tx)
    let state: ImportState = { id: ctx.makeId(), recordsDone: 0, added: 0, updated: 0, refused: {} }
    for await (const batch of begun.from(0)) {
      if (begun.signal.aborted) return { ...state, resumedAt: 0, finished: false }
      const seen = await alreadySeen(
        tx,
        batch.rows.map(({ email }) => email),
      )
      const people = subscribersOfRows(ctx, begun, batch.rows).map((one) => (seen.has(one.email) ? { ...one, again: true } : one))
      const { after, refused } = await validateBatch(tx, begun, { state, batch, people })
      const refusedLines = new Set(refused.map(({ line }) => line))
      await noteSeen(
        tx,
        people.flatMap(({ line, email }) => (refusedLines.has(line) ? [] : [email])),
      )
      await begun.onRefused(refused)
      begun.onProgress({ state: after, octetsDone: batch.octetsDone, octets: begun.octets })
      state = after
    }
    return { ...state, resumedAt: 0, finished: true }
  })
}
