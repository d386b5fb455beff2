/** Begins to hand a campaign over, or goes on with it: opens its mail once, and makes each recipient's copy of it. */
import { markHandOffBegun } from '../../db/campaigns/campaign-claims.ts'
import type { CampaignKey } from '../../db/campaigns/campaign-claims.ts'
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

/** How long a walk rests whose domain's day is used up, and how often its campaign is marked so, in milliseconds. */
const restMs = 500
const heldMs = 60_000

/** Null when there is no such campaign any more. */
export async function openBatchSender(
  ctx: Service,
  campaign: CampaignKey,
  places: BatchSenderOptions['places'],
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
    fromDomain: domain,
    fill({ subscriberId, email, firstName, lastName, fields, firstClaimedAt }) {
      const { returnPath, mailto } = makeCampaignAddresses(ctx, { host, address }, { workspaceId, campaignId, subscriberId })
      const copy = template.fill({
        ...{ email, firstName, lastName },
        fields: fields ?? {},
        tokens: { ...ctx.linkTokens.makeAll({ workspaceId, first: campaignId, second: subscriberId }), mailto },
        messageId: campaignMessageId({ campaignId, subscriberId, domain }),
        date: firstClaimedAt,
      })
      return { ...copy, ...returnPath }
    },
    ...warmedUp(ctx, { ...campaign, domain }, places),
  })
}

/** Places are also those of the domain's day while it is warmed up; what did not leave has not used any. */
function warmedUp(
  { sending: { warmUps }, db, clock }: Service,
  campaign: CampaignKey & { domain: string },
  places: BatchSenderOptions['places'],
): Pick<BatchSenderOptions, 'places' | 'onEnd'> {
  let toldAtMs = -Infinity
  const hold = async (): Promise<void> => {
    if (clock.monotonicMs() - toldAtMs > heldMs) {
      toldAtMs = clock.monotonicMs()
      await markWarmed(db, campaign.workspaceId, campaign.campaignId)
    }
    await clock.sleep(restMs)
  }
  return {
    places: {
      async take(wanted) {
        const most = await places.take(wanted)
        if (most === 0) return 0
        const granted = await warmUps.take(campaign, most).catch((error: unknown) => {
          places.release(most, 0)
          throw error
        })
        if (granted < most) places.release(most - granted, 0)
        if (granted === 0) await hold()
        return granted
      },
      release(count, begun) {
        warmUps.giveBack(campaign, count - begun)
        places.release(count, begun)
      },
    },
    onEnd(outcome) {
      if (outcome === 'postponed' || outcome === 'returned') warmUps.giveBack(campaign, 1)
    },
  }
}

/** `sentAt` is the start of the hand-off, and from then on silence may be waited for. */
async function beginHandOff(ctx: Service, campaign: CampaignKey): Promise<void> {
  const seconds = assumeDeliveredSeconds(ctx, campaign.workspaceId)
  await ctx.db.transaction(async (tx) => {
    await markHandOffBegun(tx, campaign)
    // Each time it goes on: those who were released or tried again have their silence after the others.
    if (seconds !== null) await scheduleAssumedDelivery(tx, campaign.workspaceId, campaign.campaignId, seconds)
  })
}

/** We wrote it as it was frozen, so it has this shape. */
const readCompiled = (stored: unknown): CompiledCampaign => stored as CompiledCampaign
