/** Keeps opens and clicks: many visitors share a statement and a commit, and each is answered after its own was committed. */
import { isRetryable, retrying } from '../../db/connect.ts'
import { recordCampaignVisits } from '../../db/campaign-visits.ts'
import type { CampaignVisit, KeptVisit } from '../../db/campaign-visits.ts'
import { recordMessageVisits } from '../../db/message-visits.ts'
import type { MessageVisit } from '../../db/message-visits.ts'
import { disownBurst } from '../../db/visit-bursts.ts'
import type { BurstRules } from '../../db/visit-bursts.ts'
import { tellCampaignVisits, tellMessageVisits, visitTypes } from '../webhooks/visit-events.ts'
import { telling } from '../webhooks/telling.ts'
import { gatherByWorkspace } from '../../gather.ts'
import { classifyVisit, userAgentMax } from '../../mail/mail-client.ts'
import type { VisitRequest } from '../../mail/mail-client.ts'
import type { Context } from '../context.ts'
import type { TrackSubject } from './track-subject.ts'

/** A pixel that was fetched or a link that was followed, under a token of ours. */
export interface Visit extends VisitRequest {
  subject: TrackSubject
  /** Which link, counted from 0; null for the pixel. */
  link: number | null
  /** Where it came from. */
  address: string
}

/** Answers what a campaign's link leads to, merge tags written out; null where the visit is none of a campaign's links. */
export type RecordVisit = (visit: Visit) => Promise<string | null>

/** Nobody reads a mail and follows so many of its links so soon after it was handed over. */
const burstRules: BurstRules = { seconds: 10, links: 4 }

type VisitContext = Pick<Context, 'db' | 'makeId' | 'wake'>

export function createRecordVisit(ctx: VisitContext): RecordVisit {
  const limits = { groupMax: 512, atOnceMax: 2, besideMin: 64 }
  const ofCampaigns = gatherByWorkspace({
    ...limits,
    work: apart((id, visits: CampaignVisit[]) => keepCampaignVisits(ctx, id, visits)),
  })
  const ofMessages = gatherByWorkspace({
    ...limits,
    work: apart((id, visits: MessageVisit[]) => keepMessageVisits(ctx, id, visits)),
  })
  return async (visit) => {
    const { subject } = visit
    const seen = describe(ctx, visit)
    const kept = await (subject.of === 'campaign'
      ? ofCampaigns(subject.workspaceId, { ...seen, campaignId: subject.campaignId, subscriberId: subject.subscriberId })
      : ofMessages(subject.workspaceId, { ...seen, messageId: subject.messageId, position: subject.position }))
    if ('error' in kept) throw kept.error
    return kept.url
  }
}

function describe(
  ctx: VisitContext,
  { kind, method, headers, link, address }: Visit,
): Omit<CampaignVisit, 'campaignId' | 'subscriberId'> {
  const userAgent = (headers['user-agent'] ?? '').toString().slice(0, userAgentMax).toWellFormed()
  return { id: ctx.makeId(), kind, link, address, userAgent, ...classifyVisit({ kind, method, headers }) }
}

async function keepCampaignVisits(ctx: VisitContext, workspaceId: number, visits: CampaignVisit[]): Promise<KeptVisit[]> {
  const kept = await retrying(() =>
    telling(ctx, workspaceId, visitTypes, {
      change: (db, unheard) => recordCampaignVisits(db, workspaceId, visits, unheard),
      events: (tx, seen) => tellCampaignVisits(tx, workspaceId, visits, seen),
    }),
  )
  for (const visit of tooSoon(visits, kept)) {
    await retrying(() => disownBurst(ctx.db, workspaceId, visit, burstRules), isRetryable)
  }
  return kept
}

/** Each recipient once who followed a link within the first seconds. */
function tooSoon(visits: CampaignVisit[], kept: KeptVisit[]): CampaignVisit[] {
  const found = new Map<string, CampaignVisit>()
  for (const [index, visit] of visits.entries()) {
    const age = kept[index]?.age ?? null
    if (visit.kind === 'click' && age !== null && age <= burstRules.seconds)
      found.set(visit.campaignId + visit.subscriberId, visit)
  }
  return [...found.values()]
}

async function keepMessageVisits(ctx: VisitContext, workspaceId: number, visits: MessageVisit[]): Promise<{ url: null }[]> {
  await retrying(() =>
    telling(ctx, workspaceId, visitTypes, {
      change: (db, unheard) => recordMessageVisits(db, workspaceId, visits, unheard),
      events: (tx, seen) => tellMessageVisits(tx, workspaceId, visits, seen),
    }),
  )
  return visits.map(() => ({ url: null }))
}

/** What a group cannot do together is done one by one: one visitor's input never fails another's. */
function apart<Item, Result>(work: (workspaceId: number, items: Item[]) => Promise<Result[]>) {
  return (workspaceId: number) =>
    async (items: Item[]): Promise<(Result | { error: unknown })[]> => {
      try {
        return await work(workspaceId, items)
      } catch (error) {
        if (items.length === 1) return [{ error }]
        const alone = items.map((item) => work(workspaceId, [item]).catch((cause: unknown) => [{ error: cause }]))
        return (await Promise.all(alone)).flat()
      }
    }
}
