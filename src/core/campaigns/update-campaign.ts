/** Changes a draft: given values replace present ones, and the result is validated like a new campaign. */
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

/** An absent value stays. Content of one kind replaces content of another kind. */
export interface CampaignChange extends Partial<CampaignRequest> {
  trackOpens?: boolean
  trackClicks?: boolean
}

/** How often a change is tried when others change the draft at the same time. */
const attemptsMax = 5

/**
 * Throws `not_found`, `conflict` and the refusals of a creation. `conflict`: it is no draft, or it is unfinished and the change
 * has no content.
 * That rule keeps a change of something else from losing what somebody types.
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
    // Another call changed it meanwhile: apply this change to the present state.
  }
  return refuseState(ctx, workspaceId, id)
}

const contentsOf = ({ text = null, content = null, html = null }: CampaignChange) => ({ text, content, html })
const hasContent = (change: CampaignChange): boolean => Object.values(contentsOf(change)).some((value) => value !== null)

/** Merges a draft with a change. The editor keeps the content of the other kinds, unless the change replaces everything. */
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

/** The content as a request carries it: validation gives the same result again. */
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
