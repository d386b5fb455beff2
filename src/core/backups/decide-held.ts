/** Releases or discards what is held after a restore: of a campaign, of a workspace, or of all. */
import {
  discardHeldCampaign,
  discardHeldDeliveries,
  discardHeldImports,
  discardHeldMessages,
  discardHeldSignUps,
  endUndecided,
  forgetKnownCampaigns,
  releaseHeldCampaign,
  releaseHeldDeliveries,
  releaseHeldImports,
  releaseHeldMessages,
  releaseHeldSignUps,
} from '../../db/backups/decide-held.ts'
import { cancelBatches, resumeBatches } from '../../db/campaigns/campaign-control.ts'
import { heldCampaignsOf, heldInWorkspace } from '../../db/backups/held-counts.ts'
import { retrying } from '../../db/connection/retrying.ts'
import { recordAuditEntry } from '../audit/record-audit-entry.ts'
import type { Context } from '../context.ts'
import { publishFailed } from '../events/status-events.ts'

type Parts = Pick<Context, 'db' | 'makeId' | 'wake'>

export type HeldDecision = 'release' | 'discard'

/** What was decided on, by kind. */
export interface Decided {
  mails: number
  campaigns: number
  deliveries: number
  signUps: number
  imports: number
}

/** Rows that one transaction changes. */
const atOnce = 5_000

/** All of a workspace. Another run goes on where one was interrupted. Throws the reason of `signal` between two pages. */
export async function decideHeldOfWorkspace(
  ctx: Parts,
  { workspaceId, decision, signal }: { workspaceId: number; decision: HeldDecision; signal: AbortSignal },
): Promise<Decided> {
  const isRelease = decision === 'release'
  await recordDecision(ctx, workspaceId, isRelease)
  const mails = await inPages(signal, () =>
    isRelease ? releaseHeldMessages(ctx.db, workspaceId, atOnce) : discardMessages(ctx, workspaceId),
  )
  const deliveries = await inPages(signal, () =>
    (isRelease ? releaseHeldDeliveries : discardHeldDeliveries)(ctx.db, workspaceId, atOnce),
  )
  const signUps = await (isRelease ? releaseHeldSignUps : discardHeldSignUps)(ctx.db, workspaceId)
  const imports = await (isRelease ? releaseHeldImports : discardHeldImports)(ctx.db, workspaceId)
  let campaigns = 0
  for (const { id, name } of await heldCampaignsOf(ctx.db, workspaceId)) {
    signal.throwIfAborted()
    if (await decideHeldCampaign(ctx, { workspaceId, id, name, decision })) campaigns++
  }
  await forgetKnownCampaigns(ctx.db, workspaceId)
  for (const lane of ['transactional', 'webhook', 'sign_up', 'import'] as const) ctx.wake(lane)
  return { mails, campaigns, deliveries, signUps, imports }
}

/** The audit log has the decision and its extent even where it is interrupted. */
async function recordDecision(ctx: Parts, workspaceId: number, isRelease: boolean): Promise<void> {
  const { mails, begun, campaigns, deliveries, signUps, imports } = await heldInWorkspace(ctx.db, workspaceId)
  const details = { mails: mails + begun, campaigns, deliveries, signUps, imports }
  await ctx.db.transaction(async (tx) => {
    await endUndecided(tx, workspaceId)
    await recordAuditEntry(
      tx,
      { ...ctx, workspaceId },
      { act: isRelease ? 'restore.released' : 'restore.discarded', subject: `${details.mails} mails`, details },
    )
  })
}

/** False: it is not held. */
export async function decideHeldCampaign(
  ctx: Parts,
  { workspaceId, id, name, decision }: { workspaceId: number; id: string; name: string; decision: HeldDecision },
): Promise<boolean> {
  const key = { workspaceId, campaignId: id }
  const isHeld = await ctx.db.transaction(async (tx) => {
    const was = await (decision === 'release' ? releaseHeldCampaign : discardHeldCampaign)(tx, key)
    if (was === null) return false
    if (was === 'canceled' || (was === 'sending' && decision === 'discard')) await cancelBatches(tx, key)
    else if (was === 'sending') await resumeBatches(tx, key)
    await recordAuditEntry(
      tx,
      { ...ctx, workspaceId },
      { act: decision === 'release' ? 'restore.released' : 'restore.discarded', subject: name, details: { campaign: id } },
    )
    return true
  })
  ctx.wake('campaign')
  return isHeld
}

function discardMessages({ db }: Parts, workspaceId: number): Promise<number> {
  return retrying(() =>
    db.transaction(async (tx) => {
      const { discarded, failed } = await discardHeldMessages(tx, workspaceId, atOnce)
      await publishFailed(tx, workspaceId, failed)
      return discarded
    }),
  )
}

async function inPages(signal: AbortSignal, page: () => Promise<number>): Promise<number> {
  let all = 0
  for (let count = atOnce; count === atOnce; all += count) {
    signal.throwIfAborted()
    count = await page()
  }
  return all
}
