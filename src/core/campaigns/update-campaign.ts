/** Changes a draft: what is given takes the place of what was, and the whole is judged as if it were new. */
import { formatMailbox } from '../../contract/address.ts'
import type { CampaignRequest } from '../../contract/campaigns.ts'
import { updateDraft } from '../../db/campaigns/campaigns.ts'
import type { CampaignDraft, CampaignRow } from '../../db/campaigns/campaigns.ts'
import type { DraftRow } from '../../db/campaigns/drafts.ts'
import type { CampaignSource } from '../../mail/merge/campaign-source.ts'
import type { Context } from '../context.ts'
import { asSource, findDraft, typedOf } from './drafts/typed-draft.ts'
import { findCampaign, refuseState } from './find-campaign.ts'
import { readCampaign } from './read-campaign.ts'

/** Absent: as it was. A content of one kind takes the place of one of another. */
export interface CampaignChange extends Partial<CampaignRequest> {
  trackOpens?: boolean
  trackClicks?: boolean
}

/** Changes that may cross others' before one gives way. */
const attemptsMax = 5

/**
 * Throws `not_found`, `conflict` when it is no draft, or an unfinished one whose content is not given anew (nothing that somebody
 * types is lost by a change of something else), and the refusals of a creation.
 */
export async function updateCampaign(
  ctx: Pick<Context, 'db'>,
  workspaceId: number,
  { id, change }: { id: string; change: CampaignChange },
): Promise<CampaignRow> {
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const row = await findDraft(ctx, workspaceId, id)
    if (row.status !== 'draft' || (row.unfinished && !hasContent(change))) await refuseState(ctx, workspaceId, id)
    const written = await rewrite(ctx, workspaceId, row, change)
    if (await updateDraft(ctx.db, workspaceId, id, { ...written, version: row.version }))
      return findCampaign(ctx, workspaceId, id)
    // Somebody changed it meanwhile: this change is made to what stands there now.
  }
  return refuseState(ctx, workspaceId, id)
}

const contentsOf = ({ text = null, content = null, html = null }: CampaignChange) => ({ text, content, html })
const hasContent = (change: CampaignChange): boolean => Object.values(contentsOf(change)).some((value) => value !== null)

/** What a draft is with a change. Its editor goes on with the other ways of writing that were tried there, unless all is given anew. */
async function rewrite(
  ctx: Pick<Context, 'db'>,
  workspaceId: number,
  row: DraftRow,
  change: CampaignChange,
): Promise<CampaignDraft & { typed: string | null }> {
  const { trackOpens = row.trackOpens, trackClicks = row.trackClicks, ...rest } = change
  const isReplaced = hasContent(change)
  const written = await readCampaign(ctx, workspaceId, {
    ...{ name: row.name, subject: row.subject, preheader: row.preheader, from: fromOf(row) },
    ...rest,
    ...(isReplaced ? contentsOf(change) : requestOf(asSource(row.source))),
  })
  if (isReplaced || row.typed === null) return { ...written, trackOpens, trackClicks, typed: null }
  const { name, subject, preheader } = written
  const lines = { name, subject, preheader: preheader ?? '', from: fromOf(written), trackOpens, trackClicks }
  return { ...written, trackOpens, trackClicks, typed: JSON.stringify({ ...typedOf(row), ...lines }) }
}

const fromOf = ({ fromName, fromEmail }: Pick<CampaignDraft, 'fromName' | 'fromEmail'>): string | null =>
  fromEmail === null ? null : formatMailbox({ name: fromName, address: fromEmail })

/** The content as a request carries it: what was judged once is judged the same again. */
function requestOf(source: CampaignSource): Pick<CampaignRequest, 'text' | 'content' | 'html'> {
  switch (source.kind) {
    case 'text':
      return { text: source.text }
    case 'content':
      return { content: source.blocks }
    case 'html':
      return { html: source.html }
    default:
      return source satisfies never
  }
}
