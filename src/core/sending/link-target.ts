/**
 * Resolves the address that a tracked link leads to, by its position in the mail (security: Click
 * links).
 */
import { campaignLink } from '../../db/tracking/campaign-links.ts'
import { messageHtml } from '../../db/tracking/message-engagement.ts'
import { subscriberById } from '../../db/audience/subscribers.ts'
import { resolveLink } from '../../mail/merge/content-address.ts'
import { linksOf } from '../../mail/html/track-html.ts'
import type { Context } from '../context.ts'
import type { TrackSubject } from './track-subject.ts'

/**
 * Returns the address without recording a click, or null when there is none. `recorded`: a campaign
 * link's address, if already known.
 */
export async function linkTarget(
  ctx: Pick<Context, 'db'>,
  {
    subject,
    link,
    recorded = null,
  }: { subject: TrackSubject; link: number; recorded?: string | null },
): Promise<string | null> {
  if (subject.of === 'message')
    return asTarget(
      linksOf((await messageHtml(ctx.db, subject.workspaceId, subject.messageId)) ?? '')[link],
    )
  const url =
    recorded ?? (await campaignLink(ctx.db, subject.workspaceId, subject.campaignId, link))
  if (url === null || !url.includes('{{')) return asTarget(url)
  if (!hasFixedHost.test(url)) return null
  return asTarget(
    resolveLink(url, await subscriberById(ctx.db, subject.workspaceId, subject.subscriberId)),
  )
}

/**
 * A subscriber's data may fill in a path or a query, but never the site (content-address.ts refuses
 * it at creation).
 */
const hasFixedHost = /^https?:\/\/[^/?#{]+[/?#]/i

/** Redirects lead to http and https addresses only, written so that a header can carry them. */
function asTarget(url: string | null | undefined): string | null {
  const target = url !== null && url !== undefined && URL.canParse(url) ? new URL(url) : null
  return target && (target.protocol === 'https:' || target.protocol === 'http:')
    ? target.href
    : null
}
