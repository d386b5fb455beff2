/** Presents an import to the pages. */
import { CsvError } from '../../../ground/csv/read-csv.ts'
import { existing } from '../../../contract/errors.ts'
import { limits } from '../../../contract/limits.ts'
import type {
  ImportCounts,
  ImportDetail,
  ImportEntry,
} from '../../../contract/workspace/imports.ts'
import {
  commandImport,
  firstRefusals,
  type ImportListRow,
} from '../../../db/audience/import-lists.ts'
import {
  fileById,
  type FileCounts,
  type FileFailure,
  type FileRow,
  type FileState,
} from '../../../db/audience/subscriber-files.ts'
import { fieldKeysOf } from '../../../db/audience/subscriber-fields.ts'
import type { Context, RowKey } from '../../context.ts'
import { guessTargets } from './columns/import-columns.ts'
import { PieceMissing } from '../../files/file-pieces.ts'
import { explainReason } from '../../files/import-reasons.ts'
import { previewFile, type FilePreview } from './preview-file.ts'

/** Refused lines that the page shows; the download has all of them. */
const refusalsMax = 20

/** Throws `not_found`. */
export async function presentImport(
  ctx: Pick<Context, 'db'>,
  { workspaceId, id }: RowKey,
): Promise<ImportDetail> {
  const file = await fileById(ctx.db, workspaceId, id)
  const row = existing(file ? entryOf(file) : await commandImport(ctx.db, workspaceId, id), { id })
  const refusals = await firstRefusals(ctx.db, workspaceId, row.refusalsOf, refusalsMax)
  const { headers, rows, guessedTypes, mayBeFields, separators } = file?.hasPieces
    ? await firstLines(ctx, workspaceId, file)
    : nothing
  const targets = file?.targets ?? guessTargets(headers)
  const isChosen = file?.targets != null
  const trial = file?.trial ? showCounts(file.trial) : null
  const entry = presentImportEntry(row)
  const reasons = [
    ...Object.keys(entry.counts?.reasons ?? {}),
    ...Object.keys(trial?.reasons ?? {}),
  ]
  return {
    ...entry,
    size: file?.bytes ?? 0,
    size_done: file?.bytesDone ?? 0,
    has_file: file?.hasPieces ?? false,
    ...{ headers, rows, targets },
    guessed_types: guessedTypes,
    may_be_fields: isChosen ? [] : await withRoom(ctx, workspaceId, mayBeFields),
    tags: file?.tags ?? [],
    consent: file?.consent ?? null,
    status_words: file?.statusWords ?? [],
    unknown_words: file?.failure?.words ?? [],
    tag_separators: file?.tagSeparators ?? null,
    unknown_separators:
      file?.failure?.separators ?? (isChosen ? [] : (separators[targets.indexOf('tags')] ?? [])),
    trial,
    refusals,
    explanations: Object.fromEntries(reasons.map((reason) => [reason, explainReason(reason)])),
    failure: file?.failure ? presentFailure(file.failure) : null,
  }
}

const presentFailure = ({ rule, line, text }: FileFailure): Record<string, string> => ({
  rule,
  ...(line !== undefined && { line }),
  ...(text !== undefined && { text }),
})

export const presentImportEntry = ({
  id,
  name,
  state,
  person,
  counts,
  ...times
}: ImportListRow): ImportEntry => ({
  object: 'import',
  ...{ id, name, state: shownState(state), person },
  counts: counts && showCounts(counts),
  created_at: times.createdAt.toISOString(),
  started_at: times.startedAt?.toISOString() ?? null,
  ended_at: times.endedAt?.toISOString() ?? null,
})

const shownState = (state: FileState): ImportEntry['state'] =>
  state === 'arriving' ? 'kept' : state

function showCounts({ people, added, updated, refused }: FileCounts): ImportCounts {
  const sum = Object.values(refused).reduce((all, count) => all + count, 0)
  return { people, new: added, updated, refused: sum, reasons: refused }
}

const entryOf = (file: FileRow): ImportListRow => ({
  ...file,
  counts: file.progress,
  refusalsOf: file.importId ?? file.id,
})

const nothing: FilePreview = {
  ...{ headers: [], rows: [], guessedTypes: [], mayBeFields: [], separators: [] },
}

/** As many as the workspace may define. */
async function withRoom(
  { db }: Pick<Context, 'db'>,
  workspaceId: number,
  mayBeFields: boolean[],
): Promise<boolean[]> {
  let room = limits.fieldsMax - (await fieldKeysOf(db, workspaceId)).length
  return mayBeFields.map((mayBe) => mayBe && room-- > 0)
}

/**
 * The start was readable once, but the rest may not be: a run reports it. Or the file is being
 * deleted now.
 */
async function firstLines(
  ctx: Pick<Context, 'db'>,
  workspaceId: number,
  file: FileRow,
): Promise<FilePreview> {
  return previewFile(ctx.db, workspaceId, file).catch((error: unknown) => {
    if (error instanceof CsvError || error instanceof PieceMissing) return nothing
    throw error
  })
}
