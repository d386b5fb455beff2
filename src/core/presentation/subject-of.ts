/** The subject of a captured mail as its reader sees it. */
import type { CapturedSubject } from '../../db/captured/captured-mails.ts'
import { fillTags } from '../../mail/merge/merge-tags.ts'

/** Of a campaign's mail the merge tags are filled with the reader's values as they are now; a single message's subject is as it is. */
export function subjectOf({ subject, campaignId, reader }: CapturedSubject): string {
  if (campaignId === null) return subject
  return fillTags(subject, reader)
}
