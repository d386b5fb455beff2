/** The mail of a draft for those who look at it: as it is sent, or, while it is unfinished, with what of it can be shown. */
import type { CampaignRow } from '../../../db/campaigns.ts'
import type { CampaignToCompile } from '../../../mail/compiled-campaign.ts'
import { fitContent } from '../../../mail/fit-content.ts'
import type { Context } from '../../context.ts'
import { draftToCompile } from '../draft-to-compile.ts'
import { findDraft, typedOf } from './typed-draft.ts'

export interface DraftAsTyped {
  mail: CampaignToCompile
  /** Blocks, or a whole page, that cannot be shown as they are. */
  leftOut: number
}

export async function draftAsTyped(
  ctx: Pick<Context, 'db' | 'settings'>,
  workspaceId: number,
  row: CampaignRow,
): Promise<DraftAsTyped> {
  const mail = await draftToCompile(ctx, workspaceId, row)
  if (!row.unfinished) return { mail, leftOut: 0 }
  const { leftOut, ...fitting } = fitContent(typedOf(await findDraft(ctx, workspaceId, row.id)))
  return { mail: { ...mail, ...fitting }, leftOut }
}
