/**
 * Reads what the campaign editor opens: the saved content, or the content from other entry points.
 */
import { existing } from '../../../contract/errors.ts'
import type { Draft, TypedDraft } from '../../../contract/workspace/drafts.ts'
import type { Database } from '../../../database/client/database.ts'
import { draftById, type DraftRow } from '../../../db/campaigns/drafts.ts'
import { isId } from '../../../ground/ids.ts'
import { rfc3339 } from '../../input/read-time.ts'
import { blankDraft, storedToTyped } from '../field-values.ts'
import { validateDraft } from './validate-draft.ts'
import type { RowKey } from '../../context.ts'

/** Throws `not_found`. */
export async function findDraft(
  { db }: { db: Database },
  { workspaceId, id }: RowKey,
): Promise<DraftRow> {
  const row = existing(isId(id) ? await draftById(db, workspaceId, id) : null, { id })
  return row
}

export async function presentDraft(
  ctx: { db: Database },
  { workspaceId, row }: { workspaceId: number; row: DraftRow },
): Promise<Draft> {
  const typed = typedOf(row)
  const problems = row.unfinished ? (await validateDraft(ctx, { workspaceId, typed })).problems : []
  return {
    object: 'draft',
    id: row.id,
    status: row.status,
    ...typed,
    version: row.version,
    unfinished: row.unfinished,
    problems,
    savedAt: rfc3339(row.savedAt),
    savedBy: row.savedBy,
  }
}

/**
 * The values that the editor saved, where a newer field is blank; without them, the stored mail.
 */
export const typedOf = (row: DraftRow): TypedDraft =>
  row.typed === null ? storedToTyped(row) : { ...blankDraft, ...asTyped(row.typed) }

/** `saveDraft` stored it after validating its schema, so it has this shape. */
const asTyped = (stored: unknown): TypedDraft => stored as TypedDraft
