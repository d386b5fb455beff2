/** Presents captured mails in lists: as programs read them, and as the pages do. */
import type { CapturedEntry } from '../../contract/captured.ts'
import type { BrowsedEntry } from '../../contract/workspace/captured.ts'
import type { CapturedMailRow as Row } from '../../db/captured/captured-entries.ts'
import { formatMailbox } from '../../ground/address.ts'
import { subjectOf } from '../presentation/subject-of.ts'

export const presentCaptured = (row: Row): CapturedEntry => ({
  object: 'captured_mail',
  id: row.id,
  recipient: row.recipient,
  from: formatMailbox({ name: row.fromName, address: row.fromAddress }),
  subject: subjectOf(row),
  size: row.size,
  status: row.state === 'in_doubt' ? 'in_doubt' : row.status,
  captured_at: row.capturedAt.toISOString(),
  message: row.message,
})

export const presentBrowsed = (row: Row): BrowsedEntry => ({
  ...presentCaptured(row),
  workspace: row.workspace,
  read: row.unread === 0,
  campaign: row.campaignId === null ? null : { id: row.campaignId, name: row.campaignName ?? '' },
  mails: row.mails,
  unread: row.unread,
})
