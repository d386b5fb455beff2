/**
 * Opens a batch sender for a campaign: reads its compiled mail once, and fills in each recipient's
 * copy.
 */
import { markHandOffBegun } from '../../db/campaigns/campaign-work.ts'
import type { CampaignKey } from '../../db/campaigns/campaign-key.ts'
import { compiledCampaign } from '../../db/campaigns/campaigns.ts'
import { scheduleAssumedDelivery } from '../../db/feedback/campaign-assumed-delivery.ts'
import { markWarmed } from '../../db/sending/warm-ups.ts'
import { openTemplate } from '../../mail/campaign/campaign-template.ts'
import { campaignMessageId } from '../../mail/campaign/campaign-headers.ts'
import type { CompiledCampaign } from '../../mail/merge/compiled-campaign.ts'
import type { CampaignBatchSender, Service, BatchSenderOptions } from '../context.ts'
import { makeCampaignAddresses } from '../sending/return-path.ts'
import { assumeDeliveredSeconds } from '../sending/record-outcome.ts'
import { domainOf } from '../domain-of.ts'
import { ScanMark } from '../../ground/scan-mark.ts'

/**
 * How long a batch sender waits when the day of its warm-up is used up, and how often it marks the
 * campaign so, in milliseconds.
 */
const restMs = 500
const warmMs = 60_000

/** Returns null when the campaign does not exist any more. */
export async function openBatchSender(
  ctx: Service,
  {
    campaign,
    slots,
    strays = new ScanMark(ctx.clock),
  }: Pick<BatchSenderOptions, 'campaign' | 'slots'> & Partial<Pick<BatchSenderOptions, 'strays'>>,
): Promise<CampaignBatchSender | null> {
  const { workspaceId, campaignId } = campaign
  const stored = await compiledCampaign(ctx.db, workspaceId, campaignId)
  if (stored === null) return null
  const compiled = readCompiled(stored)
  await beginHandOff(ctx, campaign)
  const template = openTemplate(compiled)
  const { address } = compiled.from
  const domain = domainOf(address)
  const host = compiled.returnPathHost ?? null
  return ctx.sending.openBatchSender({
    campaign,
    strays,
    fromDomain: domain,
    fill({ subscriberId, email, firstName, lastName, fields, firstClaimedAt }) {
      const { returnPath, mailto, headers } = makeCampaignAddresses(ctx, {
        from: { host, address, domain },
        subject: { workspaceId, campaignId, subscriberId },
      })
      const copy = template.fill({
        ...{ email, firstName, lastName },
        fields: fields ?? {},
        tokens: {
          ...ctx.linkTokens.makeAll({ workspaceId, first: campaignId, second: subscriberId }),
          mailto,
        },
        messageId: campaignMessageId({ campaignId, subscriberId, domain }),
        date: firstClaimedAt,
        headers,
      })
      return { ...copy, ...returnPath }
    },
    ...warmedUp(ctx, { ...campaign, domain }, slots),
  })
}

/**
 * Limits the slots to the domain's daily amount while it is warmed up. Mail that did not leave is
 * given back.
 */
function warmedUp(
  { sending: { warmUps }, db, clock }: Service,
  campaign: CampaignKey & { domain: string },
  slots: BatchSenderOptions['slots'],
): Pick<BatchSenderOptions, 'slots' | 'onEnd'> {
  let loggedAtMs = -Infinity
  const stayWarm = async (): Promise<void> => {
    if (clock.monotonicMs() - loggedAtMs > warmMs) {
      loggedAtMs = clock.monotonicMs()
      await markWarmed(db, campaign.workspaceId, campaign.campaignId)
    }
    await clock.sleep(restMs)
  }
  return {
    slots: {
      async take(count) {
        const max = await slots.take(count)
        if (max === 0) return 0
        const granted = await warmUps.take(campaign, max).catch((error: unknown) => {
          slots.release(max, 0)
          throw error
        })
        if (granted < max) slots.release(max - granted, 0)
        if (granted === 0) await stayWarm()
        return granted
      },
      release(count, started) {
        warmUps.giveBack(campaign, count - started)
        slots.release(count, started)
      },
    },
    onEnd(outcome) {
      if (outcome === 'postponed' || outcome === 'returned') warmUps.giveBack(campaign, 1)
    },
  }
}

/**
 * Sets `sentAt` to the start of the hand-off. From then on, mail without feedback may be assumed
 * delivered.
 */
async function beginHandOff(ctx: Service, campaign: CampaignKey): Promise<void> {
  const seconds = assumeDeliveredSeconds(ctx, campaign.workspaceId)
  await ctx.db.transaction(async (tx) => {
    await markHandOffBegun(tx, campaign)
    // Repeated on each resumption: released and retried recipients reach the assumed delivery later
    // than the others.
    if (seconds !== null)
      await scheduleAssumedDelivery(tx, campaign.workspaceId, campaign.campaignId, seconds)
  })
}

/** We stored the compiled campaign at the freeze, so it has this shape. */
const readCompiled = (stored: unknown): CompiledCampaign => stored as CompiledCampaign
