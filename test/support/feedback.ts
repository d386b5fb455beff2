/**
 * Feedback on a recipient as a source would report it, with defaults for fields that the test
 * leaves out.
 */
import type { Feedback, FeedbackTarget } from '../../src/core/feedback-target.ts'

let reported = 0

/** A bounce is a hard one unless the test says otherwise. */
export const newsFrom = (
  target: FeedbackTarget,
  kind: Feedback['kind'],
  more: Partial<Feedback> = {},
): Feedback => ({
  source: 'amazon-ses',
  sourceId: `news ${++reported}`,
  target,
  kind,
  ...(kind === 'bounced' && { bounce: 'hard' }),
  detail: `because ${kind}`,
  at: null,
  ...more,
})
