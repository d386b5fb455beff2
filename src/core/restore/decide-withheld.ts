/** Releases or discards what is held after a restore: of a campaign, of a workspace, or of all. */
import {
  discardWithheldCampaign,
  discardWithheldDeliveries,
  discardWithheldImports,
  discardWithheldMessages,
  discardWithheldSignUps,
  endUndecided,
  forgetKnownCampaigns,
  releaseWithheldCampaign,
  releaseWithheldDeliveries,
  releaseWithheldImports,
  releaseWithheldMessages,
  releaseWithheldSignUps,
} from '../../db/restore/decide-withheld.ts'
import { cancelBatches, resumeBatches } from '../../db/campaigns/campaign-control.ts'
import { withheldCampaignsOf, withheldInWorkspace } from '../../db/restore/withheld-counts.ts'
import type { Database } from '../../database/client/database.ts'
import { retrying } from '../../database/client/retrying.ts'
import { recordAuditEntry } from '../audit/record-audit-entry.ts'
import type { Context } from '../context.ts'
import { publishFailed } from '../events/status-events.ts'

type Parts = Pick<Context, 'db' | 'makeId' | 'wake'>

export type WithheldDecision = 'release' | 'discard'

/** The decided work, by kind. */
export interface Decided {
  mails: number
  campaigns: number
  deliveries: number
  signUps: number
  imports: number
}

/** Rows that one transaction changes. */
const atOnce = 5_000

interface Decision {
  workspaceId: number
  decision: WithheldDecision
  signal: AbortSignal
  /** After each step: how much has been decided since the beginning. */
  onProgress(decided: number): void
}

/**
 * All of a workspace, in steps of a transaction each: what a step has decided stays so, and another
 * run goes on where one was interrupted. Throws the reason of `signal` between two steps.
 */
export async function decideWithheldOfWorkspace(
  ctx: Parts,
  { workspaceId, decision, signal, onProgress }: Decision,
): Promise<Decided> {
  const isRelease = decision === 'release'
  await recordDecision(ctx, workspaceId, isRelease)
  let decided = 0
  const inPages = async (
    page: (db: Database, workspaceId: number, max: number) => Promise<number>,
  ): Promise<number> => {
    let all = 0
    for (let count = atOnce; count === atOnce; all += count) {
      signal.throwIfAborted()
      count = await page(ctx.db, workspaceId, atOnce)
      onProgress((decided += count))
    }
    return all
  }
  const mails = await inPages(
    isRelease ? releaseWithheldMessages : () => discardMessages(ctx, workspaceId),
  )
  const deliveries = await inPages(
    isRelease ? releaseWithheldDeliveries : discardWithheldDeliveries,
  )
  const signUps = await inPages(isRelease ? releaseWithheldSignUps : discardWithheldSignUps)
  const imports = await inPages(isRelease ? releaseWithheldImports : discardWithheldImports)
  let campaigns = 0
  for (const { id, name } of await withheldCampaignsOf(ctx.db, workspaceId)) {
    signal.throwIfAborted()
    if (await decideWithheldCampaign(ctx, { workspaceId, id, name, decision })) campaigns++
    onProgress(++decided)
  }
  await forgetKnownCampaigns(ctx.db, workspaceId)
  for (const lane of ['transactional', 'webhook', 'sign_up', 'import'] as const) ctx.wake(lane)
  return { mails, campaigns, deliveries, signUps, imports }
}

/** The audit log has the decision and its extent even where it is interrupted. */
async function recordDecision(ctx: Parts, workspaceId: number, isRelease: boolean): Promise<void> {
  const { mails, started, campaigns, deliveries, signUps, imports } = await withheldInWorkspace(
    ctx.db,
    workspaceId,
  )
  const details = { mails: mails + started, campaigns, deliveries, signUps, imports }
  await ctx.db.transaction(async (tx) => {
    await endUndecided(tx, workspaceId)
    await recordAuditEntry(
      tx,
      { ...ctx, workspaceId },
      {
        act: isRelease ? 'restore.released' : 'restore.discarded',
        subject: `${details.mails} mails`,
        details,
      },
    )
  })
}

/** False if it is not held. */
export async function decideWithheldCampaign(
  ctx: Parts,
  {
    workspaceId,
    id,
    name,
    decision,
  }: { workspaceId: number; id: string; name: string; decision: WithheldDecision },
): Promise<boolean> {
  const key = { workspaceId, campaignId: id }
  const isWithheld = await ctx.db.transaction(async (tx) => {
    const was = await (decision === 'release' ? releaseWithheldCampaign : discardWithheldCampaign)(
      tx,
      key,
    )
    if (was === null) return false
    if (was === 'canceled' || (was === 'sending' && decision === 'discard'))
      await cancelBatches(tx, key)
    else if (was === 'sending') await resumeBatches(tx, key)
    await recordAuditEntry(
      tx,
      { ...ctx, workspaceId },
      {
        act: decision === 'release' ? 'restore.released' : 'restore.discarded',
        subject: name,
        details: { campaign: id },
      },
    )
    return true
  })
  ctx.wake('campaign')
  return isWithheld
}

function discardMessages({ db }: Parts, workspaceId: number): Promise<number> {
  return retrying(() =>
    db.transaction(async (tx) => {
      const { discarded, failed } = await discardWithheldMessages(tx, workspaceId, atOnce)
      await publishFailed(tx, workspaceId, failed)
      return discarded
    }),
  )
}
