/**
 * PATCH /campaigns/{id}: changes a draft. Given values replace present ones, and the result is
 * validated like a new campaign.
 */
import type { CampaignMail } from '../../contract/campaign-fields.ts'
import type { CampaignRequest } from '../../contract/campaigns.ts'
import type { CampaignRow } from '../../db/campaigns/campaigns.ts'
import { saveFinished, type DraftRow } from '../../db/campaigns/drafts.ts'
import type { Context } from '../context.ts'
import { findDraft, typedOf } from './drafts/typed-draft.ts'
import { requestOf } from './drafts/validate-draft.ts'
import { linesToTyped, storedToTyped, typedToStored } from './field-values.ts'
import { findCampaign, refuseState } from './find-campaign.ts'
import type { WithUser } from './insert-draft.ts'
import { withOwnNames } from './own-names.ts'
import { presentCampaign } from '../presentation/present-campaign.ts'
import { readCampaign } from './read-campaign.ts'
import type { Verb } from '../verb.ts'

export const updateCampaign: Verb<'updateCampaign'> = async (ctx, { params: { id }, body }) => {
  const row = await changeDraft(ctx, { workspaceId: ctx.workspaceId, id, change: body })
  return { body: presentCampaign(row, ctx.language) }
}

/** An absent value stays. Content of one kind replaces content of another kind. */
export type CampaignChange = Partial<CampaignRequest>

/** How often a change is tried when others change the draft at the same time. */
const attemptsMax = 5

/**
 * Throws `not_found`, `conflict` and the refusals of a creation. `conflict`: it is no draft, or it
 * is unfinished and the change has no content. That rule keeps a change of something else from
 * losing a user's typed text.
 */
export async function changeDraft(
  ctx: Pick<Context, 'db'> & WithUser,
  {
    workspaceId,
    id,
    change: requested,
  }: { workspaceId: number; id: string; change: CampaignChange },
): Promise<CampaignRow> {
  const change = withoutEmptyChoices(withOwnNames(requested))
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const row = await findDraft(ctx, { workspaceId, id })
    if (row.status !== 'draft' || (row.unfinished && !hasContent(change)))
      await refuseState(ctx, { workspaceId, id })
    const rewritten = await rewrite(ctx, workspaceId, row, change)
    const saved = { id, version: row.version, savedBy: ctx.user?.email ?? null, ...rewritten }
    if (await saveFinished(ctx.db, workspaceId, saved))
      return findCampaign(ctx, { workspaceId, id })
    // Another call changed it meanwhile: apply this change to the present state.
  }
  return refuseState(ctx, { workspaceId, id })
}

/** Null is no choice: what the draft tracks stays. */
const withoutEmptyChoices = ({ trackOpens, trackClicks, ...change }: CampaignChange) => ({
  ...change,
  ...(typeof trackOpens === 'boolean' && { trackOpens }),
  ...(typeof trackClicks === 'boolean' && { trackClicks }),
})

const contentsOf = ({ text = null, content = null, html = null }: CampaignChange) => ({
  text,
  content,
  html,
})
const withoutContents = ({
  text: _text,
  content: _content,
  html: _html,
  ...lines
}: CampaignChange) => lines
const hasContent = (change: CampaignChange): boolean =>
  Object.values(contentsOf(change)).some((value) => value !== null)

/**
 * Merges a draft with a change. The editor keeps the content of the other kinds, unless the change
 * replaces everything.
 */
async function rewrite(
  ctx: Pick<Context, 'db'>,
  workspaceId: number,
  row: DraftRow,
  change: CampaignChange,
): Promise<{ mail: CampaignMail; typed: string | null }> {
  const before = storedToTyped(row)
  const isReplaced = hasContent(change)
  const written = await readCampaign(ctx, {
    workspaceId,
    request: {
      ...requestOf(before),
      ...(isReplaced ? { ...change, ...contentsOf(change) } : withoutContents(change)),
    },
  })
  const mail = { ...typedToStored({ ...before, ...change }), ...written }
  const isKept = !isReplaced && row.typed !== null
  return { mail, typed: isKept ? JSON.stringify({ ...typedOf(row), ...linesToTyped(mail) }) : null }
}
