/** Reads what the campaign editor opens: the saved content, or the content from other entry points. */
import { formatMailbox } from '../../../contract/address.ts'
import { ApiError } from '../../../contract/errors.ts'
import type { Draft, TypedDraft } from '../../../contract/workspace/drafts.ts'
import type { Database } from '../../../db/connection/connect.ts'
import { draftById } from '../../../db/campaigns/drafts.ts'
import type { DraftRow } from '../../../db/campaigns/drafts.ts'
import { isId } from '../../../ids.ts'
import type { CampaignSource } from '../../../mail/merge/campaign-source.ts'
import { rfc3339 } from '../../input/read-time.ts'
import { validateDraft } from './validate-draft.ts'

/** Throws `not_found`. */
export async function findDraft({ db }: { db: Database }, workspaceId: number, id: string): Promise<DraftRow> {
  const row = isId(id) ? await draftById(db, workspaceId, id) : null
  if (!row) throw new ApiError('not_found', { id })
  return row
}

export async function presentDraft(ctx: { db: Database }, workspaceId: number, row: DraftRow): Promise<Draft> {
  const typed = typedOf(row)
  const problems = row.unfinished ? (await validateDraft(ctx, workspaceId, typed)).problems : []
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

export function typedOf(row: DraftRow): TypedDraft {
  if (row.typed !== null) return asTyped(row.typed)
  const { name, subject, fromName, fromEmail, kind, trackOpens, trackClicks } = row
  return {
    ...{ name, subject, kind, trackOpens, trackClicks },
    preheader: row.preheader ?? '',
    from: fromEmail === null ? null : formatMailbox({ name: fromName, address: fromEmail }),
    ...waysOf(asSource(row.source)),
  }
}

function waysOf(source: CampaignSource): Pick<TypedDraft, 'text' | 'content' | 'html'> {
  const empty = { text: '', content: [], html: '' }
  switch (source.kind) {
    case 'text':
      return { ...empty, text: source.text }
    case 'content':
      return { ...empty, content: source.blocks }
    case 'html':
      return { ...empty, html: source.html }
    default:
      return source satisfies never
  }
}

/** `saveDraft` stored it after validating its schema, so it has this shape. */
const asTyped = (stored: unknown): TypedDraft => stored as TypedDraft

/** We stored the result of `validateContent`, so it has this shape. */
export const asSource = (stored: unknown): CampaignSource => stored as CampaignSource
