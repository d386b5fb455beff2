/**
 * Saves the typed content, finished or not, unless another version was saved since. A conflicting
 * save receives that version, so nothing is lost. Finished content replaces what a send uses;
 * unfinished content is stored beside it.
 */
import { onlyFields } from '../../../contract/campaign-fields.ts'
import { ApiError } from '../../../contract/errors.ts'
import { TypedDraft, type DraftProblem } from '../../../contract/workspace/drafts.ts'
import type { Database } from '../../../database/client/database.ts'
import { saveFinished, saveUnfinished, type DraftSaved } from '../../../db/campaigns/drafts.ts'
import type { CallContext } from '../../context.ts'
import { rfc3339 } from '../../input/read-time.ts'
import { copyCampaign } from '../copy-campaign.ts'
import { validateDraft } from './validate-draft.ts'
import { findDraft, presentDraft, typedOf } from './typed-draft.ts'
import type { Verb } from '../../verb.ts'

export const saveDraft: Verb<'saveDraft'> = async (ctx, { params, body }) => {
  const { version, keepAs = null } = body
  const row = await findDraft(ctx, { workspaceId: ctx.workspaceId, id: params.id })
  const { id, status } = row
  if (status !== 'draft') throw new ApiError('conflict', { id, status })
  const typed = { ...typedOf(row), ...onlyFields(body, TypedDraft.properties) }
  const saved = await ctx.db
    .transaction(async (tx) => {
      const inside = { ...ctx, db: tx }
      if (keepAs !== null)
        await copyCampaign(inside, { workspaceId: ctx.workspaceId, id, name: keepAs })
      const stored = await storeDraft(inside, { id, version, typed })
      // The other save has committed; the copy above is rolled back with everything else.
      if (!stored) throw new NewerVersion()
      return stored
    })
    .catch((error: unknown) => {
      if (error instanceof NewerVersion) return null
      throw error
    })
  if (!saved) return refuseVersion(ctx, id)
  const { problems, savedAt } = saved
  return {
    body: {
      id,
      version: saved.version,
      unfinished: problems.length > 0,
      problems,
      savedAt: rfc3339(savedAt),
      savedBy: ctx.user?.email ?? null,
    },
  }
}

class NewerVersion extends Error {}

async function refuseVersion(ctx: CallContext, id: string): Promise<never> {
  const row = await findDraft(ctx, { workspaceId: ctx.workspaceId, id })
  if (row.status !== 'draft') throw new ApiError('conflict', { id, status: row.status })
  const draft = await presentDraft(ctx, { workspaceId: ctx.workspaceId, row })
  throw new ApiError('conflict', { id, status: row.status, reason: 'version', draft })
}

/** Returns null when the draft's version has changed. */
export async function storeDraft(
  ctx: Pick<CallContext, 'workspaceId' | 'user'> & { db: Database },
  { id, version, typed }: { id: string; version: number; typed: TypedDraft },
): Promise<(DraftSaved & { problems: DraftProblem[] }) | null> {
  const { mail, problems } = await validateDraft(ctx, { workspaceId: ctx.workspaceId, typed })
  const toSave = { id, version, typed: JSON.stringify(typed), savedBy: ctx.user?.email ?? null }
  const saved = mail
    ? await saveFinished(ctx.db, ctx.workspaceId, { ...toSave, mail })
    : await saveUnfinished(ctx.db, ctx.workspaceId, {
        ...toSave,
        name: problems.some(({ path }) => path === 'name') ? null : typed.name,
      })
  return saved && { ...saved, problems }
}
