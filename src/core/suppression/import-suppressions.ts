/**
 * Suppresses the addresses of a file, for one workspace or for the whole platform. Entries are
 * written in batches. Addresses with pending mail or a subscriber then take the usual path, which
 * stops the mail and the subscription. An interrupted import can simply run again.
 */
import { parseMailbox } from '../../ground/address.ts'
import { suppressionReasons, type SuppressionReason } from '../../contract/suppression.ts'
import { inspectCsv, type OpenBytes } from '../../ground/csv/inspect-csv.ts'
import type { CsvRecord } from '../../ground/csv/read-csv.ts'
import { readHeader, readCsvRecords } from '../../ground/csv/read-file.ts'
import { unguarded } from '../../ground/csv/write-csv.ts'
import { retrying } from '../../database/client/retrying.ts'
import type { FileLayout, StoredRefusal } from '../../db/files/import-refusals.ts'
import {
  addressesWithPendingMail,
  upsertPlatformSuppressions,
  type NewSuppression,
} from '../../db/suppression/suppressions-in-bulk.ts'
import type { Context } from '../context.ts'
import { addressToStore, findAddressColumn, findSpelling } from '../files/address-column.ts'
import { layoutOf, refusedLine } from '../files/refused-lines.ts'
import { workspacesIn } from '../each-workspace.ts'
import { suppressMany } from './suppress-many.ts'
import { suppressOnPlatform } from './suppress-on-platform.ts'

export interface SuppressionImportInput {
  /** Opens the file from its beginning on each call. */
  open: OpenBytes
  /** A context of each database, for the platform's list. */
  databases?: readonly SuppressionContext[]
  /** Null means the platform's list. */
  workspaceId: number | null
  /** The reason of lines that give none. */
  reason: SuppressionReason
  onProgress(progress: { lines: number; bytesDone: number; bytes: number }): void
  /** Receives the refused lines of each batch, and how the file writes its lines; perhaps none. */
  onRefused(lines: StoredRefusal[], layout: FileLayout): Promise<void>
  /** Receives the totals after each batch. */
  onBatch?(soFar: SuppressionImportResult): Promise<void>
  /** When aborted, the import ends soon after the current batch. */
  signal: AbortSignal
}

export interface SuppressionImportResult {
  lines: number
  added: number
  /** Addresses that were suppressed already; the stronger reason stays. */
  known: number
  refused: Record<string, number>
  finished: boolean
}

type SuppressionContext = Pick<Context, 'databaseId' | 'db' | 'makeId' | 'failpoints' | 'wake'>

const batchSize = 2_000

/**
 * Throws `OperatorError` for a header without an address, `CsvError` for a file that cannot be
 * read.
 */
export async function importSuppressions(
  ctx: SuppressionContext,
  input: SuppressionImportInput,
): Promise<SuppressionImportResult> {
  const { bytes } = await inspectCsv(input.open)
  const head = await readHeader(input.open)
  const columns = columnsOf(head.header.values)
  const layout = layoutOf(head, columns.email)
  const result: SuppressionImportResult = {
    lines: -1,
    added: 0,
    known: 0,
    refused: {},
    finished: true,
  }
  let bytesDone = 0
  let waiting: CsvRecord[] = []
  const work = async (): Promise<void> => {
    await suppressBatch(ctx, input, { ...columns, layout }, { result, records: waiting })
    waiting = []
    input.onProgress({ lines: result.lines, bytesDone, bytes })
    await input.onBatch?.(result)
  }
  for await (const { records, bytes: some } of readCsvRecords(input.open)) {
    bytesDone += some
    for (const record of records) {
      if (record.values.length === 0) continue
      // The first record is the header.
      if (++result.lines > 0) waiting.push(record)
      if (waiting.length === batchSize) await work()
    }
    if (input.signal.aborted) return { ...result, finished: false }
  }
  await work()
  return result
}

interface Columns {
  email: number
  reason: number
  layout: FileLayout
}

function columnsOf(header: string[]): Omit<Columns, 'layout'> {
  return {
    email: findAddressColumn(header),
    reason: findSpelling(header, ['reason', 'motif', 'raison']),
  }
}

async function suppressBatch(
  ctx: SuppressionContext,
  input: SuppressionImportInput,
  columns: Columns,
  { result, records }: { result: SuppressionImportResult; records: CsvRecord[] },
): Promise<void> {
  const entries = new Map<string, NewSuppression>()
  const refused: StoredRefusal[] = []
  for (const record of records) {
    const read = readEntry(record, columns, input.reason)
    if ('line' in read) refused.push(read)
    else if (isStronger(read.reason, entries.get(read.email)?.reason))
      entries.set(read.email, { ...read, id: ctx.makeId() })
  }
  for (const { reason } of refused) result.refused[reason] = (result.refused[reason] ?? 0) + 1
  await input.onRefused(refused, columns.layout)
  if (entries.size === 0) return
  const added = await (input.workspaceId === null
    ? suppressBatchOnPlatform(ctx, input.databases ?? [ctx], [...entries.values()])
    : suppressMany(ctx, { workspaceId: input.workspaceId, entries: [...entries.values()] }))
  result.added += added
  result.known += entries.size - added
}

const isStronger = (a: SuppressionReason, b: SuppressionReason | undefined): boolean =>
  b === undefined || suppressionReasons.indexOf(a) > suppressionReasons.indexOf(b)

function readEntry(
  record: CsvRecord,
  columns: Columns,
  fallback: SuppressionReason,
): Omit<NewSuppression, 'id'> | StoredRefusal {
  const valueIn = (column: number): string => unguarded((record.values[column] ?? '').trim())
  const address = valueIn(columns.email)
  const refuse = (reason: string): StoredRefusal => ({
    ...{
      line: record.line,
      reason,
      email: addressToStore(address),
      content: refusedLine(record, columns.layout),
    },
  })
  if (record.broken) return refuse('cells.text_after_quote')
  if (address === '') return refuse('email.missing')
  const mailbox = parseMailbox(address)
  if ('rule' in mailbox) return refuse(`email.${mailbox.rule}`)
  if (mailbox.name !== null) return refuse('email.name')
  const word = valueIn(columns.reason).toLowerCase()
  const reason = word === '' ? fallback : suppressionReasons.find((known) => known === word)
  return reason === undefined ? refuse('reason') : { email: mailbox.key, reason, sourceId: null }
}

async function suppressBatchOnPlatform(
  ctx: SuppressionContext,
  databases: readonly SuppressionContext[],
  entries: NewSuppression[],
): Promise<number> {
  const added = await retrying(() => upsertPlatformSuppressions(ctx.db, entries))
  const emails = new Set<string>()
  for await (const { at, workspaceId } of workspacesIn(databases))
    for (const email of await withPendingMail(at, workspaceId, entries)) emails.add(email)
  for (const email of emails) await suppressOnPlatform(ctx, { databases, email })
  return added
}

const withPendingMail = (
  ctx: SuppressionContext,
  workspaceId: number,
  entries: NewSuppression[],
): Promise<string[]> =>
  addressesWithPendingMail(
    ctx.db,
    workspaceId,
    entries.map(({ email }) => email),
  )
