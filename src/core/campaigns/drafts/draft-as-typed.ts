/**
 * Reads the mail of a draft for previews: as it would be sent or, while it is unfinished, the parts
 * that can be shown.
 */
import { ApiError } from '../../../contract/errors.ts'
import type { CampaignRow } from '../../../db/campaigns/campaigns.ts'
import type { CampaignToCompile } from '../../../mail/merge/compiled-campaign.ts'
import { fitContent } from '../../../mail/content/fit-content.ts'
import type { Context } from '../../context.ts'
import { chooseSender, type ChosenSender } from '../../sending/choose-sender.ts'
import { draftToCompile } from '../draft-to-compile.ts'
import { findDraft, typedOf } from './typed-draft.ts'

export interface DraftAsTyped {
  /** Includes the typed sender, if it exists. */
  row: CampaignRow
  mail: CampaignToCompile
  /** Number of blocks, or whole pages, that cannot be shown as they are. */
  leftOut: number
}

export async function draftAsTyped(
  ctx: Pick<Context, 'db' | 'settings'>,
  { workspaceId, row }: { workspaceId: number; row: CampaignRow },
): Promise<DraftAsTyped> {
  if (!row.unfinished)
    return { row, mail: await draftToCompile(ctx, { workspaceId, row }), leftOut: 0 }
  const typed = typedOf(await findDraft(ctx, { workspaceId, id: row.id }))
  const from = await fittingSender(ctx, workspaceId, typed.from)
  const { leftOut, ...fitting } = fitContent(typed)
  const asTyped = { ...row, ...from }
  return {
    row: asTyped,
    mail: { ...(await draftToCompile(ctx, { workspaceId, row: asTyped })), ...fitting },
    leftOut,
  }
}

/** Returns no sender while the typed one cannot be used. */
async function fittingSender(
  ctx: Pick<Context, 'db'>,
  workspaceId: number,
  from: string | null,
): Promise<ChosenSender> {
  try {
    return await chooseSender(ctx, { workspaceId, from })
  } catch (error) {
    if (error instanceof ApiError) return { fromName: null, fromEmail: null }
    throw error
  }
}
