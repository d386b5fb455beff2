/** Releases or discards what is held after a restore: of a campaign, of a workspace, or of all. */
import {
  discardHeldCampaign,
  discardHeldDeliveries,
  discardHeldImports,
  discardHeldMessages,
  discardHeldSignUps,
  releaseHeldCampaign,
  releaseHeldDeliveries,
  releaseHeldImports,
  releaseHeldMessages,
  releaseHeldSignUps,
} from '../../db/backups/decide-held.ts'
import { cancelBatches, resumeBatches } from '../../db/campaigns/campaign-control.ts'
import { heldCampaignsOf } from '../../db/backups/held-counts.ts'
import { retrying } from '../../db/connection/connect.ts'
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

/** All of a workspace. Another run goes on where one was interrupted. */
export async function decideHeldOfWorkspace(
  ctx: Parts,
  { workspaceId, decision }: { workspaceId: number; decision: HeldDecision },
): Promise<Decided> {
  const isRelease = decision === 'release'
  const mails = await inPages(() =>
    isRelease ? releaseHeldMessages(ctx.db, workspaceId, atOnce) : discardMessages(ctx, workspaceId),
  )
  const deliveries = await inPages(() => (isRelease ? releaseHeldDeliveries : discardHeldDeliveries)(ctx.db, workspaceId, atOnce))
  const signUps = await (isRelease ? releaseHeldSignUps : discardHeldSignUps)(ctx.db, workspaceId)
  const imports = await (isRelease ? releaseHeldImports : discardHeldImports)(ctx.db, workspaceId)
  let campaigns = 0
  for (const { id, name } of await heldCampaignsOf(ctx.db, workspaceId))
    if (await decideHeldCampaign(ctx, { workspaceId, id, name, decision })) campaigns++
  const decided = { mails, campaigns, deliveries, signUps, imports }
  await ctx.db.transaction((tx) =>
    recordAuditEntry(
      tx,
      { ...ctx, workspaceId },
      { act: isRelease ? 'restore.released' : 'restore.discarded', subject: `${mails} mails`, details: { ...decided } },
    ),
  )
  for (const lane of ['transactional', 'webhook', 'sign_up', 'import'] as const) ctx.wake(lane)
  return decided
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
    if (was === 'sending') await (decision === 'release' ? resumeBatches : cancelBatches)(tx, key)
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

async function inPages(page: () => Promise<number>): Promise<number> {
  let all = 0
  for (let count = atOnce; count === atOnce; all += count) count = await page()
  return all
}
