import type { Context } from '../context.ts'
import type { RecordEngagement, EngagementRequest } from './record-engagement.ts'
import { linkTarget } from '../sending/link-target.ts'

/**
 * Records the visit where `isWithinBounds`, and answers the address, or null when there is no such link. Throws when the visit
 * could not be kept: then nobody is sent on, and may try again.
 */
export async function followLink(
  ctx: Pick<Context, 'db'>,
  recordVisit: RecordEngagement,
  { visit, link, isWithinBounds }: { visit: EngagementRequest; link: number; isWithinBounds: boolean },
): Promise<string | null> {
  const recorded = isWithinBounds ? await recordVisit(visit) : null
  return linkTarget(ctx, visit.subject, link, recorded)
}
