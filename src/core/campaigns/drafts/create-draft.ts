/** Creates a draft in the editor: an empty one, or a copy of typed content, finished or not. */
import type { CampaignKind } from '../../../contract/campaigns.ts'
import { insertCampaign } from '../../../db/campaigns/campaigns.ts'
import type { CampaignSource } from '../../../mail/merge/campaign-source.ts'
import { refuseControls } from '../../input/refuse-controls.ts'
import { withinLimit } from '../../input/within-limit.ts'
import { storeDraft } from './save-draft.ts'
import { findDraft, presentDraft } from './typed-draft.ts'
import type { Verb } from '../../verb.ts'

export const createDraft: Verb<'createDraft'> = async (ctx, { body }) => {
  refuseControls(body.name, 'name')
  const id = ctx.makeId()
  const { name, kind, trackOpens, trackClicks } = body
  const row = await ctx.db.transaction(async (tx) => {
    const blank = { subject: '', preheader: null, fromName: null, fromEmail: null, source: nothingYet(kind) }
    await withinLimit(tx, ctx.workspaceId, 'drafts', () =>
      insertCampaign(tx, ctx.workspaceId, { id, name, kind, trackOpens, trackClicks, ...blank }),
    )
    await storeDraft({ ...ctx, db: tx }, { id, version: 1, typed: body })
    return findDraft({ db: tx }, ctx.workspaceId, id)
  })
  return { body: await presentDraft(ctx, ctx.workspaceId, row) }
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
