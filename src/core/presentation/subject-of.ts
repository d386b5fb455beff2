/** Renders the subject of a captured mail as its reader sees it. */
import type { CapturedSubject } from '../../db/captured/captured-mails.ts'
import { fillTags } from '../../mail/merge/merge-tags.ts'

/**
 * A campaign's merge tags show the reader's present values; a single message's subject stays
 * unchanged.
 */
export function subjectOf({ subject, campaignId, reader }: CapturedSubject): string {
  if (campaignId === null) return subject
  return fillTags(subject, reader)
}
