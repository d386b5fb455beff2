/**
 * Imports subscribers from a file of separated values, for the command line and for the pages.
 *
 * 1. read the whole file: it must be UTF-8, its hash identifies it, and its lines say who left and
 *    what must be asked
 * 2. ask, where words of a status or the separator of tags are not known
 * 3. an interrupted import continues where it stopped
 * 4. store it in batches, each in a transaction with the progress (import-batch.ts). The next batch
 *    is read while the database works, and no more than that is in memory
 */
import { createHash } from 'node:crypto'
import type { FieldType, TypedField } from '../../../../contract/field-types.ts'
import { limits } from '../../../../contract/limits.ts'
import {
  lockFields,
  makeFields,
  setFieldType,
  typedFieldsAmong,
  undefinedFields,
  fieldKeysOf,
} from '../../../../db/audience/subscriber-fields.ts'
import {
  findOrStartImport,
  finishImport,
  importedThoughSuppressed,
  type ImportState,
} from '../../../../db/audience/subscriber-imports.ts'
import { importRefusalPage } from '../../../../db/files/import-refusals.ts'
import { OperatorError } from '../../../../ground/operator-error.ts'
import { followSuppression } from '../../../suppression/suppress-address.ts'
import { storeBatch } from './import-batch.ts'
import type {
  ImportRun,
  EndedImport,
  ImportContext,
  ImportInput,
  ImportProgress,
} from './import-input.ts'
import type { ImportColumns } from '../columns/import-columns.ts'
import { statusMeanings } from '../columns/read-status.ts'
import { surveyFile } from '../columns/survey-file.ts'
import { UnansweredQuestions } from '../columns/unanswered-questions.ts'
import { readBatches } from './read-import.ts'
import { rehearseImport } from './rehearse-import.ts'
import { findAsker } from '../../consent/send-confirmation.ts'

export interface ImportResult extends EndedImport {
  columns: ImportColumns
  /** The types that the values of new fields suggest. */
  guessedTypes: { key: string; type: FieldType }[]
}

/**
 * Rows per batch: enough that a statement's overhead is negligible, and few enough that its locks
 * are short.
 */
const batchSize = 1_000

/** Throws `OperatorError` when the import cannot begin, `CsvError` when the file cannot be read. */
export async function importSubscribers(
  ctx: ImportContext,
  { workspaceId, ...input }: { workspaceId: number } & ImportInput,
): Promise<ImportResult> {
  const { open, signal, tags, columnsOf, tagSeparators } = input
  const meanings = statusMeanings(input.statusWords)
  const survey = await surveyFile({
    open,
    columnsOf,
    meanings,
    signal,
    onProgress: input.onReading,
  })
  const { bytes, hash, columns, layout, unknownWords: words, hasLeft } = survey
  const separators = tagSeparators === null ? survey.unknownSeparators : []
  if (words.length > 0 || separators.length > 0)
    throw new UnansweredQuestions({ words, separators })
  const defined = await defineFields(ctx, workspaceId, columns, input.dryRun)
  const guessedTypes = columns.fields.flatMap(({ key, type: chosen }) => {
    const type = survey.guessedTypes.get(key)
    return type && !chosen && defined.fresh.has(key) ? [{ key, type }] : []
  })
  const reading = {
    columns,
    types: defined.types,
    layout,
    meanings,
    tagSeparators: tagSeparators ?? undefined,
    hasLeft,
    tagsOfAll: tags.length,
  }
  const from = (skip: number) => readBatches(open, { reading, skip, batchSize })
  const asking = input.consent === null ? await findAsking(ctx, workspaceId) : null
  const run: ImportRun = { ...input, workspaceId, bytes, layout, from, asking }
  if (input.dryRun) return { columns, guessedTypes, ...(await rehearseImport(ctx, run)) }
  const state = await findOrStartImport(ctx.db, workspaceId, {
    id: ctx.makeId(),
    fingerprint: fingerprintOf(hash, columns, input),
    fileName: input.fileName,
    layout,
  })
  return { columns, guessedTypes, ...(await storeAll(ctx, run, state)) }
}

interface DefinedFields {
  /** Keys of those that the file defines. */
  fresh: ReadonlySet<string>
  /** Those whose values must fit a type. */
  types: ReadonlyMap<string, TypedField>
}

/** A new field gets the type that its column says; one that is there keeps its own. */
async function defineFields(
  ctx: ImportContext,
  workspaceId: number,
  columns: ImportColumns,
  dryRun: boolean,
): Promise<DefinedFields> {
  const keys = [...new Set([...columns.fields.map(({ key }) => key), ...columns.attributeFields])]
  const fresh = await undefinedFields(ctx.db, workspaceId, keys)
  const typed = columns.fields.flatMap(({ key, type = 'text' }) =>
    fresh.includes(key) && type !== 'text' ? [{ key, type, choices: [] }] : [],
  )
  await makeFresh(ctx, workspaceId, { fresh, typed, dryRun })
  const known = await typedFieldsAmong(ctx.db, workspaceId, keys)
  return {
    fresh: new Set(fresh),
    types: new Map([...typed, ...known].map((field) => [field.key, field])),
  }
}

async function makeFresh(
  ctx: ImportContext,
  workspaceId: number,
  { fresh, typed, dryRun }: { fresh: string[]; typed: TypedField[]; dryRun: boolean },
): Promise<void> {
  if (fresh.length === 0) return
  const count = dryRun
    ? fresh.length + (await fieldKeysOf(ctx.db, workspaceId)).length
    : await ctx.db.transaction(async (tx) => {
        await lockFields(tx, workspaceId)
        const fields = await makeFields(tx, workspaceId, fresh)
        // The transaction is rolled back then.
        if (fields > limits.fieldsMax) throw tooManyFields(fields)
        for (const field of typed) await setFieldType(tx, workspaceId, field)
        return fields
      })
  if (count > limits.fieldsMax) throw tooManyFields(count)
}

const tooManyFields = (count: number): OperatorError =>
  new OperatorError(
    `A workspace has at most ${limits.fieldsMax} fields: with those of this file it would have ${count}.`,
  )

/** Finds the sender of confirmations; refuses before anything is stored when there is none. */
async function findAsking(ctx: ImportContext, workspaceId: number): Promise<ImportRun['asking']> {
  const asker = await findAsker(ctx, ctx.db, workspaceId)
  if (!('refusal' in asker)) return { asker, linkTokens: await ctx.openLinkTokens() }
  const why = {
    reputation_blocked: 'sending is suspended, because of bounces or complaints',
    no_sender: 'the workspace has no sender',
    unverified_from_domain: "the domain of the workspace's sender is not verified",
  }
  throw new OperatorError(`No confirmation mail can be sent: ${why[asker.refusal]}.`)
}

/** Identifies an interrupted import: the same file, read the same way, with the same settings. */
const fingerprintOf = (
  hash: Buffer,
  columns: ImportColumns,
  { tags, consent, statusWords, tagSeparators }: ImportInput,
): Buffer =>
  createHash('sha256')
    .update(hash)
    .update(JSON.stringify([columns, tags, consent, statusWords, tagSeparators]))
    .digest()

/** Stores a batch while the next one is read. */
async function storeAll(
  ctx: ImportContext,
  run: ImportRun,
  from: ImportState,
): Promise<EndedImport> {
  let progress: ImportProgress = { state: from, bytesDone: 0, bytes: run.bytes }
  const onProgress = (now: ImportProgress): void => run.onProgress((progress = now))
  // The steps after the last line may take long: report progress, so that the caller knows that the
  // import is alive.
  const reportAlive = (): void => run.onProgress(progress)
  onProgress(progress)
  let storing = Promise.resolve(from)
  let stopped = false
  for await (const batch of run.from(from.recordsDone)) {
    const state = await storing
    stopped = run.signal.aborted
    if (stopped) break
    storing = storeBatch(ctx, { run: { ...run, onProgress }, state, batch })
    // The promise is awaited before the next batch; this keeps its failure from being unhandled
    // until then.
    storing.catch(() => undefined)
  }
  const state = await storing
  if (!stopped) await finishImport(ctx.db, run.workspaceId, state.id)
  await applySuppressions(ctx, { workspaceId: run.workspaceId, importId: state.id, reportAlive })
  if (!stopped) await logRefused(ctx, run, { importId: state.id, reportAlive })
  return { ...state, resumedAt: from.recordsDone, finished: !stopped }
}

/** Applies suppressions that were added while a batch ran and could not see its subscribers. */
export async function applySuppressions(
  ctx: ImportContext,
  {
    workspaceId,
    importId,
    reportAlive,
  }: { workspaceId: number; importId: string; reportAlive: () => void },
): Promise<void> {
  for (;;) {
    const emails = await importedThoughSuppressed(ctx.db, workspaceId, importId, 1_000)
    if (emails.length === 0) return
    for (const [index, email] of emails.entries()) {
      if (index % 100 === 0) reportAlive()
      await followSuppression(ctx, { workspaceId, email })
    }
  }
}

async function logRefused(
  ctx: ImportContext,
  { workspaceId, layout, onRefused }: ImportRun,
  { importId, reportAlive }: { importId: string; reportAlive: () => void },
): Promise<void> {
  for (let after = 0; ;) {
    const page = await importRefusalPage(ctx.db, workspaceId, importId, { after, max: batchSize })
    reportAlive()
    await onRefused(page, layout)
    const last = page.at(-1)
    if (!last) return
    after = last.line
  }
}
