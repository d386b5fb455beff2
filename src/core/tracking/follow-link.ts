/** Follows a tracked link: records the click and finds the address to redirect to. */
import type { Context } from '../context.ts'
import type { RecordEngagement, EngagementRequest } from './record-engagement.ts'
import { linkTarget } from '../sending/link-target.ts'

/**
 * Records a click, if `isWithinBounds`, and returns the link's address, or null when there is no
 * such link. Throws when the click could not be stored: then the visitor is not redirected, and may
 * try again.
 */
export async function followLink(
  ctx: Pick<Context, 'db'>,
  {
    recordEngagement,
    engagement,
    link,
    isWithinBounds,
  }: {
    recordEngagement: RecordEngagement
    engagement: EngagementRequest
    link: number
    isWithinBounds: boolean
  },
): Promise<string | null> {
  const recorded = isWithinBounds ? await recordEngagement(engagement) : null
  return linkTarget(ctx, { subject: engagement.subject, link, recorded })
}
