/**
 * Imports people from a file of separated values: the one verb for the command line and for pages.
 *
 * 1. the whole file is looked at: UTF-8 from end to end, and its hash
 * 2. its header says which column is what; an import that was interrupted is taken up where it stopped
 * 3. batch by batch: judged and stored by one statement, with what was refused and how far the import is, in one transaction.
 *    The next batch is read while the database works, and no more than that is held
 */
import { createHash } from 'node:crypto'
import type { Database } from '../../db/connect.ts'
import { isRetryable, retrying } from '../../db/connect.ts'
import {
  advanceImport,
  alreadySeen,
  beginSeen,
  defineFields,
  findOrStartImport,
  finishImport,
  importRefusalPage,
  insertImportRefusals,
  lockImport,
  missingFields,
  noteSeen,
  storeImported,
} from '../../db/subscriber-imports.ts'
import type { ImportRefusal, ImportState, ImportedPerson } from '../../db/subscriber-imports.ts'
import { inspectCsv } from '../../csv/inspect-csv.ts'
import type { OpenBytes } from '../../csv/inspect-csv.ts'
import { OperatorError } from '../../operator-error.ts'
import type { Context } from '../context.ts'
import type { ColumnMapping, ImportColumns } from './import-columns.ts'
import type { ImportRow } from './import-row.ts'
import { readImport } from './read-import.ts'
import type { ImportBatch } from './read-import.ts'

export interface ImportInput {
  /** Gives the file from its beginning, each time it is called. */
  open: OpenBytes
  fileName: string
  mapping: ColumnMapping[]
  /** Given to everybody in the file. */
  tags: string[]
  /** The words that show why these people may be written to; null asks each of them by a confirmation mail. */
  consent: string | null
  /** Only counts what would happen. */
  dryRun: boolean
  /** Told after each batch. */
  onProgress(progress: ImportProgress): void
  /** Given the refused lines in their order, once everything is done. */
  onRefused(lines: ImportRefusal[]): Promise<void>
  /** Aborted: the import ends after the batch under way, and can be taken up again. */
  signal: AbortSignal
}

export interface ImportProgress extends ImportState {
  octetsDone: number
  octets: number
}

export interface ImportResult extends ImportState {
  columns: ImportColumns
  /** Records that an earlier run had done. */
  resumedAt: number
  finished: boolean
}

/** People of one batch: long enough that the statement's own cost is nothing, short enough that its locks are. */
const batchSize = 2_000
const fieldsMax = 100

type ImportContext = Pick<Context, 'db' | 'makeId' | 'failpoints'>

/** Throws `OperatorError` for a header without an address or too many fields, `CsvError` for what cannot be read. */
export async function importSubscribers(ctx: ImportContext, workspaceId: number, input: ImportInput): Promise<ImportResult> {
  const inspected = await inspectCsv(input.open)
  const file = await readImport(input.open, { mapping: input.mapping, tagsOfAll: input.tags.length, batchSize })
  const { missing } = await judgeFields(ctx.db, workspaceId, file.columns)
  const begun: Begun = { ...input, workspaceId, octets: inspected.octets, from: file.from }
  if (input.dryRun) return { columns: file.columns, ...(await judgeOnly(ctx, begun)) }
  await defineFields(ctx.db, workspaceId, missing)
  const fingerprint = fingerprintOf(inspected.hash, file.columns, input)
  const state = await findOrStartImport(ctx.db, workspaceId, { id: ctx.makeId(), fingerprint, fileName: input.fileName })
  return { columns: file.columns, ...(await storeAll(ctx, begun, state)) }
}

interface Begun extends ImportInput {
  workspaceId: number
  octets: number
  from(skip: number): AsyncGenerator<ImportBatch>
}

type Ended = Omit<ImportResult, 'columns'>

async function judgeFields(db: Database, workspaceId: number, columns: ImportColumns): Promise<{ missing: string[] }> {
  const { missing, defined } = await missingFields(
    db,
    workspaceId,
    columns.fields.map(({ key }) => key),
  )
  if (defined + missing.length > fieldsMax)
    throw new OperatorError(
      `A workspace has at most ${fieldsMax} fields: this file brings ${missing.length} new ones, and ${defined} are there.`,
    )
  return { missing }
}

/** The same file, read the same way, to the same end: what makes an import the one that was interrupted. */
function fingerprintOf(hash: Buffer, columns: ImportColumns, { tags, consent }: ImportInput): Buffer {
  return createHash('sha256')
    .update(hash)
    .update(JSON.stringify([columns, tags, consent]))
    .digest()
}

/** A batch is stored while the next one is read. */
async function storeAll(ctx: ImportContext, begun: Begun, from: ImportState): Promise<Ended> {
  let storing: Promise<ImportState> = Promise.resolve(from)
  for await (const batch of begun.from(from.recordsDone)) {
    const state = await storing
    if (begun.signal.aborted) return { ...state, resumedAt: from.recordsDone, finished: false }
    storing = storeBatch(ctx, begun, state, batch)
    // It is awaited before the next: until then a failure is nobody's surprise.
    storing.catch(() => undefined)
  }
  const state = await storing
  await finishImport(ctx.db, begun.workspaceId, state.id)
  await tellRefused(ctx, begun, state.id)
  return { ...state, resumedAt: from.recordsDone, finished: true }
}

async function storeBatch(ctx: ImportContext, begun: Begun, state: ImportState, batch: ImportBatch): Promise<ImportState> {
  const { workspaceId } = begun
  const people = peopleOf(ctx, begun, batch.rows)
  const next = await retrying(
    () =>
      ctx.db.transaction(async (tx) => {
        if (!(await lockImport(tx, workspaceId, state.id, state.recordsDone)))
          throw new OperatorError('Another process imports the same file: it goes on, and this one ended.')
        const { after, refused } = await judgeBatch(tx, begun, state, batch, people)
        if (refused.length > 0) await insertImportRefusals(tx, workspaceId, state.id, refused)
        await ctx.failpoints.hit('import.batch')
        await advanceImport(tx, workspaceId, after)
        return after
      }),
    isRetryable,
  )
  begun.onProgress({ ...next, octetsDone: batch.octetsDone, octets: begun.octets })
  return next
}

/** Judges and, unless it is a dry run, stores; answers what the import has come to. */
async function judgeBatch(
  tx: Database,
  { workspaceId, consent, dryRun }: Begun,
  state: ImportState,
  batch: ImportBatch,
  people: ImportedPerson[],
): Promise<{ after: ImportState; refused: ImportRefusal[] }> {
  const after: ImportState = { ...state, recordsDone: batch.recordsDone, refused: { ...state.refused } }
  const verdicts = await storeImported(tx, workspaceId, people, {
    importId: state.id,
    status: consent === null ? 'pending' : 'subscribed',
    consent,
    store: !dryRun,
  })
  const refused: ImportRefusal[] = [...batch.refused]
  for (const { verdict, count, lines } of verdicts) {
    if (verdict === 'new') after.added += count
    else if (verdict === 'known') after.updated += count
    else {
      const theirs = new Set(lines)
      for (const { line, email } of people) if (theirs.has(line)) refused.push({ line, email, reason: verdict })
    }
  }
  for (const { reason } of refused) after.refused[reason] = (after.refused[reason] ?? 0) + 1
  return { after, refused: refused.toSorted((one, other) => one.line - other.line) }
}

function peopleOf(ctx: ImportContext, { tags }: Begun, rows: ImportRow[]): ImportedPerson[] {
  const seen = new Set<string>()
  return rows.map((row) => {
    const again = seen.has(row.email)
    seen.add(row.email)
    return { ...row, again, id: ctx.makeId(), tags: row.tags.length === 0 ? tags : [...new Set([...tags, ...row.tags])] }
  })
}

async function tellRefused(ctx: ImportContext, { workspaceId, onRefused }: Begun, importId: string): Promise<void> {
  for (let after = 0; ;) {
    const page = await importRefusalPage(ctx.db, workspaceId, importId, { after, most: batchSize })
    const last = page.at(-1)
    if (!last) return
    await onRefused(page)
    after = last.line
  }
}

/**
 * The same judgement with nothing stored, in one transaction that keeps the addresses it has seen: an address that comes
 * again must be told as it would be. Always from the beginning, whatever an interrupted import has stored.
 */
function judgeOnly(ctx: ImportContext, begun: Begun): Promise<Ended> {
  return ctx.db.transaction(async (tx) => {
    await beginSeen(tx)
    let state: ImportState = { id: ctx.makeId(), recordsDone: 0, added: 0, updated: 0, refused: {} }
    for await (const batch of begun.from(0)) {
      if (begun.signal.aborted) return { ...state, resumedAt: 0, finished: false }
      const seen = await alreadySeen(
        tx,
        batch.rows.map(({ email }) => email),
      )
      const people = peopleOf(ctx, begun, batch.rows).map((one) => (seen.has(one.email) ? { ...one, again: true } : one))
      const { after, refused } = await judgeBatch(tx, begun, state, batch, people)
      const refusedLines = new Set(refused.map(({ line }) => line))
      await noteSeen(
        tx,
        people.flatMap(({ line, email }) => (refusedLines.has(line) ? [] : [email])),
      )
      if (refused.length > 0) await begun.onRefused(refused)
      state = after
      begun.onProgress({ ...state, octetsDone: batch.octetsDone, octets: begun.octets })
    }
    return { ...state, resumedAt: 0, finished: true }
  })
}
