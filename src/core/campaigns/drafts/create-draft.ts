/** Creates a draft in the editor: an empty one, or a copy of typed content, finished or not. */
import { onlyFields, type CampaignKind } from '../../../contract/campaign-fields.ts'
import { TypedDraft } from '../../../contract/workspace/drafts.ts'
import { workspaceSettings } from '../../../db/workspaces/workspace-settings.ts'
import type { CampaignSource } from '../../../mail/merge/campaign-source.ts'
import { refuseMisleading } from '../../input/check-values.ts'
import { blankDraft } from '../field-values.ts'
import { insertDraft } from '../insert-draft.ts'
import { storeDraft } from './save-draft.ts'
import { findDraft, presentDraft } from './typed-draft.ts'
import type { Verb } from '../../verb.ts'

export const createDraft: Verb<'createDraft'> = async (ctx, { body }) => {
  refuseMisleading(body.name, 'name')
  const { name, kind } = body
  const { trackOpens, trackClicks } = await workspaceSettings(ctx.db, ctx.workspaceId)
  const typed = {
    ...blankDraft,
    trackOpens,
    trackClicks,
    ...onlyFields(body, TypedDraft.properties),
  }
  const followed = { trackOpens: typed.trackOpens, trackClicks: typed.trackClicks }
  const empty = { name, kind, source: nothingYet(kind), ...followed }
  const row = await ctx.db.transaction(async (tx) => {
    const id = await insertDraft(ctx, tx, empty)
    await storeDraft({ ...ctx, db: tx }, { id, version: 1, typed })
    return findDraft({ db: tx }, { workspaceId: ctx.workspaceId, id })
  })
  return { body: await presentDraft(ctx, { workspaceId: ctx.workspaceId, row }) }
}

/** An empty source that compiles. */
function nothingYet(kind: CampaignKind): CampaignSource {
  switch (kind) {
    case 'text':
      return { kind, text: '' }
    case 'content':
      return { kind, blocks: [] }
    case 'html':
      return { kind, html: '' }
    default:
      return kind satisfies never
  }
}
