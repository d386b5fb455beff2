/**
 * Stores one batch of an import: one statement checks and stores it with its refusals and the
 * progress, all or nothing.
 */
import { isRetryable } from '../../../../database/client/database-errors.ts'
import { retrying } from '../../../../database/client/retrying.ts'
import type { Database } from '../../../../database/client/database.ts'
import { erasedAddress } from '../../../../db/audience/erasures.ts'
import {
  advanceImport,
  lockImport,
  type ImportState,
} from '../../../../db/audience/subscriber-imports.ts'
import {
  insertImportRefusals,
  type FileLayout,
  type StoredRefusal,
} from '../../../../db/files/import-refusals.ts'
import { setConfirmationTimes } from '../../../../db/audience/subscriber-batches.ts'
import { storeImported, type ImportedSubscriber } from '../../../../db/audience/store-imported.ts'
import { OperatorError } from '../../../../ground/operator-error.ts'
import type { Context } from '../../../context.ts'
import type { ImportRun, ImportContext } from './import-input.ts'
import type { ImportRow } from '../columns/read-row.ts'
import { refusedLine } from '../../../files/refused-lines.ts'
import type { ImportBatch } from './read-import.ts'
import { publishMade } from '../../../events/subscriber-events.ts'
import { confirmationRoom, confirmationTimes } from '../../consent/confirmation-times.ts'
import { sendConfirmations } from '../../consent/send-confirmation.ts'
import { confirmAgainAfterSeconds } from '../../consent/confirm-again-after.ts'

/** Returns the state after the batch. Throws when another process runs the same import. */
export async function storeBatch(
  ctx: ImportContext,
  { run, state, batch }: { run: ImportRun; state: ImportState; batch: ImportBatch },
): Promise<ImportState> {
  const { workspaceId, bytes } = run
  const subscribers = subscribersOfRows(ctx, { ...run, rows: batch.rows })
  const work = async (tx: Database): Promise<ImportState> => {
    if (!(await lockImport(tx, workspaceId, state.id, state.recordsDone)))
      throw new OperatorError(
        'Another process imports the same file: it goes on, and this one ended.',
      )
    const {
      after,
      refused,
      toConfirm: answer,
    } = await validateBatch(tx, run, { state, batch, subscribers, asksMax: await asksMax(tx, run) })
    if (refused.length > 0) await insertImportRefusals(tx, workspaceId, state.id, refused)
    await ask(ctx, tx, run, answer)
    await ctx.failpoints?.hit('import.batch')
    await advanceImport(tx, workspaceId, after)
    await publishMade(
      tx,
      workspaceId,
      subscribers.map(({ id }) => id),
    )
    return after
  }
  const after = await retrying(() => ctx.db.transaction(work), isRetryable)
  if (run.asking) ctx.wake('transactional')
  ctx.wake('subscribers')
  ctx.wake('webhook')
  run.onProgress({ state: after, bytesDone: batch.bytesDone, bytes })
  return after
}

interface CheckedBatch {
  after: ImportState
  /** In the order of their lines. */
  refused: StoredRefusal[]
  toConfirm: { id: string; email: string }[]
}

/** Checks the batch and, unless it is a dry run, stores it. */
export async function validateBatch(
  tx: Database,
  { workspaceId, layout, consent, person, apiKeyId, since, dryRun }: ImportRun,
  {
    state,
    batch,
    subscribers,
    asksMax: max,
  }: {
    state: ImportState
    batch: ImportBatch
    subscribers: ImportedRow[]
    /** How many may be asked to confirm. Null means all. */
    asksMax: number | null
  },
): Promise<CheckedBatch> {
  const after: ImportState = {
    ...state,
    recordsDone: batch.recordsDone,
    refused: { ...state.refused },
  }
  const refused: StoredRefusal[] = [...batch.refused]
  const { verdicts, toConfirm } = await storeImported(tx, workspaceId, subscribers, {
    importId: state.id,
    status: consent === null ? 'pending' : 'subscribed',
    ...{
      consent,
      person,
      apiKeyId,
      since,
      askAfterSeconds: confirmAgainAfterSeconds,
      asksMax: max,
      store: !dryRun,
    },
  })
  for (const { verdict, count, lines } of verdicts) {
    if (verdict === 'new') after.added += count
    else if (verdict === 'known') after.updated += count
    else
      refused.push(...refusedFor({ reason: verdict, lines: new Set(lines) }, subscribers, layout))
  }
  for (const { reason } of refused) after.refused[reason] = (after.refused[reason] ?? 0) + 1
  return {
    after,
    toConfirm,
    refused: refused.toSorted((a, b) => a.line - b.line),
  }
}

/** For an erased contact nothing is stored, not even in a report. */
function refusedFor(
  { reason, lines }: { reason: string; lines: Set<number> },
  subscribers: ImportedRow[],
  layout: FileLayout,
): StoredRefusal[] {
  return subscribers.flatMap(({ line, email, record }) => {
    if (!lines.has(line)) return []
    if (reason === 'erased') return [{ line, reason, email: erasedAddress, content: null }]
    return [{ line, reason, email, content: refusedLine(record, layout) }]
  })
}

/** A row of the file with what the database stores of it. */
type ImportedRow = ImportedSubscriber & Pick<ImportRow, 'record'>

/**
 * Adds the import's own values to the rows of a batch. If an address occurs twice, the first row
 * counts.
 */
export function subscribersOfRows(
  ctx: Pick<Context, 'makeId'>,
  { tags, rows }: { rows: ImportRow[] } & ImportRun,
): ImportedRow[] {
  const addresses = new Set<string>()
  return rows.map((row) => {
    const again = addresses.has(row.email)
    addresses.add(row.email)
    return {
      ...row,
      again,
      id: ctx.makeId(),
      tags: row.tags.length === 0 ? tags : [...new Set([...tags, ...row.tags])],
    }
  })
}

/** The confirmations of a program's file wait a day at most; those of a user's leave at once. */
const asksMax = async (
  tx: Database,
  { workspaceId, apiKeyId, asking }: ImportRun,
): Promise<number | null> =>
  asking && apiKeyId !== null ? confirmationRoom(tx, workspaceId) : null

async function takeTimes(
  tx: Database,
  workspaceId: number,
  subscribers: CheckedBatch['toConfirm'],
): Promise<Date[]> {
  const times = await confirmationTimes(tx, workspaceId, subscribers.length)
  const request = subscribers.map(({ id }, index) => ({ id, askedAt: times[index] ?? null }))
  await setConfirmationTimes(tx, workspaceId, request)
  return times
}

async function ask(
  ctx: ImportContext,
  tx: Database,
  run: ImportRun,
  subscribers: CheckedBatch['toConfirm'],
): Promise<void> {
  if (!run.asking || subscribers.length === 0) return
  const { asker, linkTokens } = run.asking
  const origin = {
    source: 'import',
    shown: null,
    ip: null,
    userAgent: null,
    apiKeyId: run.apiKeyId,
    person: run.person,
  } as const
  // Confirmations of a program's file leave at their pace.
  const times = run.apiKeyId === null ? [] : await takeTimes(tx, run.workspaceId, subscribers)
  await sendConfirmations({ ...ctx, linkTokens }, tx, {
    workspaceId: run.workspaceId,
    asker,
    asks: subscribers.map((subscriber, index) => ({
      ...{ subscriber, ...origin },
      ...(times[index] && { leavesAt: times[index] }),
    })),
  })
}
