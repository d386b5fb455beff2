/** Changes a draft: what is given takes the place of what was, and the whole is judged as if it were new. */
import { formatMailbox } from '../../contract/address.ts'
import type { CampaignRequest } from '../../contract/campaigns.ts'
import { updateDraft } from '../../db/campaigns.ts'
import type { CampaignRow } from '../../db/campaigns.ts'
import type { CampaignSource } from '../../mail/campaign-source.ts'
import type { Context } from '../context.ts'
import { readSource } from './draft-to-compile.ts'
import { findCampaign, refuseState } from './find-campaign.ts'
import { readCampaign } from './read-campaign.ts'

/** Absent: as it was. A content of one kind takes the place of one of another. */
export interface CampaignChange extends Partial<CampaignRequest> {
  trackOpens?: boolean
  trackClicks?: boolean
}

/**
 * Throws `not_found`, `conflict` when it is no draft, or an unfinished one whose content is not given anew (nothing that somebody
 * types is lost by a change of something else), and the refusals of a creation.
 */
export async function updateCampaign(
  ctx: Pick<Context, 'db'>,
  workspaceId: number,
  { id, change }: { id: string; change: CampaignChange },
): Promise<CampaignRow> {
  const row = await findCampaign(ctx, workspaceId, id)
  if (row.status !== 'draft') await refuseState(ctx, workspaceId, id)
  const { trackOpens = row.trackOpens, trackClicks = row.trackClicks, text, content, html, ...rest } = change
  const given = { text: text ?? null, content: content ?? null, html: html ?? null }
  const hasContent = Object.values(given).some((value) => value !== null)
  if (row.unfinished && !hasContent) await refuseState(ctx, workspaceId, id)
  const written = await readCampaign(ctx, workspaceId, {
    ...{ name: row.name, subject: row.subject, preheader: row.preheader, from: fromOf(row) },
    ...rest,
    ...(hasContent ? given : requestOf(await readSource(ctx.db, workspaceId, id))),
  })
  const changed = await updateDraft(ctx.db, workspaceId, id, { ...written, trackOpens, trackClicks, replaces: hasContent })
  if (!changed) await refuseState(ctx, workspaceId, id)
  return findCampaign(ctx, workspaceId, id)
}

const fromOf = ({ fromName, fromEmail }: CampaignRow): string | null =>
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
