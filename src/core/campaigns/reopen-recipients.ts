/** Sends a campaign again to some of its recipients: to failed ones or to those in doubt, at a user's request. */
import { ApiError } from '../../contract/errors.ts'
import { reopenCampaign, reopenRecipients } from '../../db/campaigns/campaign-control.ts'
import type { Reopening } from '../../db/campaigns/campaign-control.ts'
import type { CampaignRow } from '../../db/campaigns/campaigns.ts'
import { reserveQuota } from '../../db/sending/quota.ts'
import { accountStatus } from '../../db/workspaces/account-status.ts'
import type { Context } from '../context.ts'
import { runInSameTransaction } from './in-the-same-transaction.ts'
import type { InSameTransaction } from './in-the-same-transaction.ts'
import { findCampaign, refuseState } from './find-campaign.ts'
import { sendingStatus } from '../reputation/account-status.ts'

/** Rows per transaction, so that others wait for it only briefly. */
const atOnce = 10_000
const beforeAll = '00000000-0000-0000-0000-000000000000'

type Parts = Pick<Context, 'db' | 'wake'> & InSameTransaction

/**
 * Retries recipients that failed without being cancelled; the quota is debited again.
 * Throws `not_found`, `conflict`, `reputation_blocked`, `quota_exceeded`.
 */
export const retryFailed = (ctx: Parts, workspaceId: number, id: string): Promise<Reopened> =>
  reopen(ctx, workspaceId, { id, which: 'failed' })

/**
 * Sends again to recipients in doubt: some of them will get the mail twice. Throws `not_found`, `conflict`,
 * `reputation_blocked`.
 */
export const releaseInDoubt = (ctx: Parts, workspaceId: number, id: string): Promise<Reopened> =>
  reopen(ctx, workspaceId, { id, which: 'in_doubt' })

export interface Reopened {
  reopened: number
  campaign: CampaignRow
}

async function reopen(ctx: Parts, workspaceId: number, { id, which }: { id: string; which: Reopening }): Promise<Reopened> {
  const before = await findCampaign(ctx, workspaceId, id)
  const { status, ...rates } = sendingStatus(await accountStatus(ctx.db, workspaceId))
  if (status === 'suspended') throw new ApiError('reputation_blocked', rates)
  let reopened = 0
  for (let after: string | null = beforeAll; after !== null;) {
    const page: { reopened: number; lookedTo: string | null } = await reopenPage(ctx, workspaceId, {
      ...{ id, which, after },
      // One audit entry for all pages: written with the first page that reopens a recipient.
      before: reopened === 0 ? before : null,
    })
    reopened += page.reopened
    after = page.lookedTo
  }
  ctx.wake('campaign')
  return { reopened, campaign: await findCampaign(ctx, workspaceId, id) }
}

async function reopenPage(
  ctx: Parts,
  workspaceId: number,
  { id, which, after, before }: { id: string; which: Reopening; after: string; before: CampaignRow | null },
) {
  const key = { workspaceId, campaignId: id }
  return ctx.db.transaction(async (tx) => {
    const page = await reopenRecipients(tx, key, { which, after, most: atOnce })
    if (page.reopened === 0) return page
    // The quota of recipients in doubt was never given back.
    const reservation = which === 'failed' ? await reserveQuota(tx, workspaceId, page.reopened) : null
    if (reservation?.reserved === false)
      throw new ApiError('quota_exceeded', { needed: page.reopened, remaining: reservation.remaining })
    if (!(await reopenCampaign(tx, key, reservation?.month ?? null))) await refuseState({ db: tx }, workspaceId, id)
    if (before) await runInSameTransaction(ctx, tx, before)
    return page
  })
}
