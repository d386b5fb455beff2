/** Performs a user's action on a campaign: the verb that every entry point calls, with an audit entry in its transaction. */
import type { ActName } from '../../../contract/audit-actions.ts'
import type { CampaignRun } from '../../../contract/workspace/campaign-run.ts'
import type { InputOf } from '../../../contract/operations.ts'
import type { CallContext } from '../../context.ts'
import type { InSameTransaction } from '../in-the-same-transaction.ts'
import { archiveCampaign } from '../archive-campaign.ts'
import { duplicateCampaign } from '../duplicate-campaign.ts'
import { freezeCampaign } from '../freeze-campaign.ts'
import { withAuditEntry } from '../with-audit-entry.ts'
import { releaseInDoubt, retryFailed } from '../reopen-recipients.ts'
import { scheduleCampaign, unscheduleCampaign } from '../schedule-campaign.ts'
import { cancelCampaign, pauseCampaign, resumeCampaign, undoSend } from '../stop-campaign.ts'
import { readRun } from './get-campaign-run.ts'

/** Seconds to notice a mistake before the first mail leaves. */
const undoSeconds = 30

const steer =
  (act: ActName, verb: (ctx: CallContext & InSameTransaction, workspaceId: number, id: string) => Promise<unknown>) =>
  async (ctx: CallContext, { params }: { params: { id: string } }): Promise<{ body: CampaignRun }> => {
    await verb(withAuditEntry(ctx, act), ctx.workspaceId, params.id)
    return { body: await readRun(ctx, ctx.workspaceId, params.id) }
  }

const reopen =
  (act: ActName, verb: typeof retryFailed) =>
  async (ctx: CallContext, { params }: { params: { id: string } }) => {
    const { reopened } = await verb(withAuditEntry(ctx, act), ctx.workspaceId, params.id)
    return { body: { reopened, flight: await readRun(ctx, ctx.workspaceId, params.id) } }
  }

async function launch(ctx: CallContext, { params, body }: InputOf<'launchCampaign'>) {
  const { confirmRecipients: confirmed } = body
  await freezeCampaign(withAuditEntry(ctx, 'campaign.sent', { recipients: confirmed }), ctx.workspaceId, {
    ...{ id: params.id, from: 'draft', heldSeconds: undoSeconds, canary: null, confirmed },
  })
  return { body: await readRun(ctx, ctx.workspaceId, params.id) }
}

async function schedule(ctx: CallContext, { params, body }: InputOf<'scheduleCampaign'>) {
  const { scheduledAt: at } = body
  await scheduleCampaign(withAuditEntry(ctx, 'campaign.scheduled', { at }), ctx.workspaceId, { id: params.id, at })
  return { body: await readRun(ctx, ctx.workspaceId, params.id) }
}

async function duplicate(ctx: CallContext, { params, body }: InputOf<'duplicateCampaign'>) {
  const copy = await duplicateCampaign(ctx, ctx.workspaceId, { id: params.id, name: body.name ?? null })
  return { body: await readRun(ctx, ctx.workspaceId, copy.id) }
}

/** By operation. */
export const steering = {
  launchCampaign: launch,
  undoCampaignLaunch: steer('campaign.undone', undoSend),
  scheduleCampaign: schedule,
  unscheduleCampaign: steer('campaign.unscheduled', unscheduleCampaign),
  pauseCampaign: steer('campaign.paused', pauseCampaign),
  resumeCampaign: steer('campaign.resumed', resumeCampaign),
  cancelCampaign: steer('campaign.canceled', cancelCampaign),
  retryFailedRecipients: reopen('campaign.retried', retryFailed),
  releaseInDoubtRecipients: reopen('campaign.released', releaseInDoubt),
  duplicateCampaign: duplicate,
  archiveCampaign: steer('campaign.archived', archiveCampaign),
}
