/**
 * Imports people from a file of separated values: the one verb for the command line and for pages.
 *
 * 1. the whole file is looked at: UTF-8 from end to end, and its hash
 * 2. its header says which column is what; an import that was interrupted is taken up where it stopped
 * 3. batch by batch, each in a transaction that also says how far the import is (import-batch.ts). The next batch is read while
 *    the database works, and no more than that is held
 */
import { createHash } from 'node:crypto'
import { limits } from '../../contract/limits.ts'
import { inspectCsv } from '../../csv/inspect-csv.ts'
import { lockFields, makeFields, undefinedFields } from '../../db/subscribers/subscriber-fields.ts'
import {
  fieldKeysOf,
  findOrStartImport,
  finishImport,
  importRefusalPage,
  importedThoughSuppressed,
} from '../../db/subscribers/subscriber-imports.ts'
import type { ImportState } from '../../db/subscribers/subscriber-imports.ts'
import { OperatorError } from '../../operator-error.ts'
import { followSuppression } from '../suppression/suppress-address.ts'
import { storeBatch } from './import-batch.ts'
import type { BegunImport, EndedImport, ImportContext, ImportInput, ImportProgress } from './begun-import.ts'
import type { ImportColumns } from '../import-files/import-columns.ts'
import { readImport } from './read-import.ts'
import { rehearseImport } from './rehearse-import.ts'
import { findAsker } from './send-confirmation.ts'

export interface ImportResult extends EndedImport {
  columns: ImportColumns
}

/** People of one batch: long enough that the statement's own cost is nothing, short enough that its locks are. */
const batchSize = 1_000

/** Throws `OperatorError` for what the import cannot begin with, `CsvError` for what cannot be read. */
export async function importSubscribers(ctx: ImportContext, workspaceId: number, input: ImportInput): Promise<ImportResult> {
  const { octets, hash } = await inspectCsv(input.open)
  const { columns, from } = await readImport(input.open, { columnsOf: input.columnsOf, tagsOfAll: input.tags.length, batchSize })
  await defineFields(ctx, workspaceId, columns, input.dryRun)
  const asking = input.consent === null ? await findAsking(ctx, workspaceId) : null
  const begun: BegunImport = { ...input, workspaceId, octets, from, asking }
  if (input.dryRun) return { columns, ...(await rehearseImport(ctx, begun)) }
  const state = await findOrStartImport(ctx.db, workspaceId, {
    id: ctx.makeId(),
    fingerprint: fingerprintOf(hash, columns, input),
    fileName: input.fileName,
  })
  return { columns, ...(await storeAll(ctx, begun, state)) }
}

async function defineFields(ctx: ImportContext, workspaceId: number, columns: ImportColumns, dryRun: boolean): Promise<void> {
  const fresh = await undefinedFields(
    ctx.db,
    workspaceId,
    columns.fields.map(({ key }) => key),
  )
  if (fresh.length === 0) return
  const count = dryRun
    ? fresh.length + (await fieldKeysOf(ctx.db, workspaceId)).length
    : await ctx.db.transaction(async (tx) => {
        await lockFields(tx, workspaceId)
        const made = await makeFields(tx, workspaceId, fresh)
        // Nothing of it stays then.
        if (made > limits.fieldsMax) throw tooManyFields(made)
        return made
      })
  if (count > limits.fieldsMax) throw tooManyFields(count)
}

const tooManyFields = (count: number): OperatorError =>
  new OperatorError(`A workspace has at most ${limits.fieldsMax} fields: with those of this file it would have ${count}.`)

/** By whom people are asked; refused before anything is stored where nobody can. */
async function findAsking(ctx: ImportContext, workspaceId: number): Promise<BegunImport['asking']> {
  const asker = await findAsker(ctx, ctx.db, workspaceId)
  if (!('refusal' in asker)) return { asker, linkTokens: await ctx.openLinkTokens() }
  const why = {
    reputation_blocked: 'sending is suspended, because of bounces or complaints',
    no_sender: 'the workspace has no sender',
    unverified_from_domain: "the domain of the workspace's sender is not verified",
  }
  throw new OperatorError(`Nobody can be asked to confirm: ${why[asker.refusal]}.`)
}

/** The same file, read the same way, to the same end: what makes an import the one that was interrupted. */
const fingerprintOf = (hash: Buffer, columns: ImportColumns, { tags, consent }: ImportInput): Buffer =>
  createHash('sha256')
    .update(hash)
    .update(JSON.stringify([columns, tags, consent]))
    .digest()

/** A batch is stored while the next one is read. */
async function storeAll(ctx: ImportContext, begun: BegunImport, from: ImportState): Promise<EndedImport> {
  let progress: ImportProgress = { state: from, octetsDone: 0, octets: begun.octets }
  const onProgress = (now: ImportProgress): void => begun.onProgress((progress = now))
  // What comes after the last line may last as well: whoever waits is told that we still work.
  const tellAlive = (): void => begun.onProgress(progress)
  onProgress(progress)
  let storing = Promise.resolve(from)
  let stopped = false
  for await (const batch of begun.from(from.recordsDone)) {
    const state = await storing
    stopped = begun.signal.aborted
    if (stopped) break
    storing = storeBatch(ctx, { ...begun, onProgress }, state, batch)
    // It is awaited before the next one: until then its failure is nobody's surprise.
    storing.catch(() => undefined)
  }
  const state = await storing
  if (!stopped) await finishImport(ctx.db, begun.workspaceId, state.id)
  await applySuppressions(ctx, begun.workspaceId, state.id, tellAlive)
  if (!stopped) await tellRefused(ctx, begun, { importId: state.id, tellAlive })
  return { ...state, resumedAt: from.recordsDone, finished: !stopped }
}

/** Whoever closed an address while its batch was under way may not have seen the person yet. */
export async function applySuppressions(
  ctx: ImportContext,
  workspaceId: number,
  importId: string,
  tellAlive: () => void,
): Promise<void> {
  for (;;) {
    const emails = await importedThoughSuppressed(ctx.db, workspaceId, importId, 1_000)
    if (emails.length === 0) return
    for (const [index, email] of emails.entries()) {
      if (index % 100 === 0) tellAlive()
      await followSuppression(ctx, workspaceId, email)
    }
  }
}

async function tellRefused(
  ctx: ImportContext,
  { workspaceId, onRefused }: BegunImport,
  { importId, tellAlive }: { importId: string; tellAlive: () => void },
): Promise<void> {
  for (let after = 0; ;) {
    const page = await importRefusalPage(ctx.db, workspaceId, importId, { after, most: batchSize })
    const last = page.at(-1)
    if (!last) return
    tellAlive()
    await onRefused(page)
    after = last.line
  }
}
