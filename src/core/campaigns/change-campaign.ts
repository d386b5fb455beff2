/** Changes a campaign at a user's request, in one transaction with its audit entry. */
import type { ActName } from '../../contract/audit-actions.ts'
import type { Campaign } from '../../contract/campaigns.ts'
import { ApiError } from '../../contract/errors.ts'
import type { CampaignRun } from '../../contract/workspace/campaign-run.ts'
import type { CampaignRow } from '../../db/campaigns/campaigns.ts'
import type { Database } from '../../database/client/database.ts'
import { recordAuditEntry } from '../audit/record-audit-entry.ts'
import { isByKey, type CallContext } from '../context.ts'
import { presentCampaign } from '../presentation/present-campaign.ts'
import { findCampaign } from './find-campaign.ts'
import { readRun } from './run/get-campaign-run.ts'

interface CampaignChange {
  id: string
  act: ActName
  details?: Record<string, string | number>
  /**
   * Applies the change. `before` is the campaign as the caller found it. Throws when the change
   * does not apply.
   */
  apply: (tx: Database, before: CampaignRow) => Promise<void>
}

/** Throws `not_found`, and the refusals of `apply`. */
export async function changeCampaign(
  ctx: CallContext,
  { id, act, details, apply }: CampaignChange,
): Promise<void> {
  const before = await findCampaign(ctx, { workspaceId: ctx.workspaceId, id })
  await ctx.db.transaction(async (tx) => {
    await apply(tx, before)
    await recordCampaignAct(ctx, tx, { act, campaign: before, details })
  })
}

/** Writes who asked for a campaign's change, in the transaction of the change. */
export const recordCampaignAct = (
  ctx: CallContext,
  tx: Database,
  {
    act,
    campaign: { id, name },
    details = {},
  }: { act: ActName; campaign: CampaignRow; details?: CampaignChange['details'] },
): Promise<void> =>
  recordAuditEntry(tx, ctx, { act, subject: name, details: { campaign: id, ...details } })

/** The answer of every operation that changes a campaign and that only users call: its run. */
export const answerRun = async (ctx: CallContext, id: string): Promise<{ body: CampaignRun }> => ({
  body: await readRun(ctx, { workspaceId: ctx.workspaceId, id }),
})

/** The same where a key may call it too, which reads the campaign alone. */
export const answerCampaign = async (
  ctx: CallContext,
  id: string,
): Promise<{ body: CampaignRun | Campaign }> =>
  isByKey(ctx)
    ? {
        body: presentCampaign(
          await findCampaign(ctx, { workspaceId: ctx.workspaceId, id }),
          ctx.language,
        ),
      }
    : answerRun(ctx, id)

/** Throws `conflict` with the state that the campaign had. */
export function refuseChange({ id, status, pausedAt, canceledAt }: CampaignRow): never {
  throw new ApiError('conflict', {
    id,
    status,
    paused: pausedAt !== null,
    canceled: canceledAt !== null,
  })
}
