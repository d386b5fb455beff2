/** Where a tracked link leads: known to us alone, by its place in the mail, so that no visitor's input chooses it (security: Click links). */
import { campaignLink } from '../../db/campaign-links.ts'
import { messageHtml } from '../../db/message-visits.ts'
import { subscriberById } from '../../db/subscribers.ts'
import { resolveLink } from '../../mail/content-address.ts'
import { linksOf } from '../../mail/track-html.ts'
import type { Context } from '../context.ts'
import type { RecordVisit, Visit } from './record-visit.ts'
import type { TrackSubject } from './track-subject.ts'

/**
 * Records the visit where `isWithinBounds`, and answers the address, or null when there is no such link. Throws when the visit
 * could not be kept: then nobody is sent on, and may try again.
 */
export async function followLink(
  ctx: Pick<Context, 'db'>,
  recordVisit: RecordVisit,
  { visit, link, isWithinBounds }: { visit: Visit; link: number; isWithinBounds: boolean },
): Promise<string | null> {
  const recorded = isWithinBounds ? await recordVisit(visit) : null
  return linkTarget(ctx, visit.subject, link, recorded)
}

/** The same for who only wants to know. `recorded`: the address of a campaign's link where it is known already. */
export async function linkTarget(
  ctx: Pick<Context, 'db'>,
  subject: TrackSubject,
  link: number,
  recorded: string | null = null,
): Promise<string | null> {
  if (subject.of === 'message')
    return asTarget(linksOf((await messageHtml(ctx.db, subject.workspaceId, subject.messageId)) ?? '')[link])
  const url = recorded ?? (await campaignLink(ctx.db, subject.workspaceId, subject.campaignId, link))
  if (url === null || !url.includes('{{')) return asTarget(url)
  if (!hasFixedHost.test(url)) return null
  return asTarget(resolveLink(url, await subscriberById(ctx.db, subject.workspaceId, subject.subscriberId)))
}

/** A subscriber's data fills in a path or a query, and never says which site (content-address.ts refuses the rest at creation). */
const hasFixedHost = /^https?:\/\/[^/?#{]+[/?#]/i

/** http and https alone, written as a header may carry it: whatever else stands in a mail is not ours to send people to. */
function asTarget(url: string | null | undefined): string | null {
  const target = url !== null && url !== undefined && URL.canParse(url) ? new URL(url) : null
  return target && (target.protocol === 'https:' || target.protocol === 'http:') ? target.href : null
}
