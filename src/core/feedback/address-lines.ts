/** Writes the To and Cc of a mail again, as they left, in the form that its signature covers. */
import { addressedHead, addressedSubscriber } from '../../db/domain-reports/addressees.ts'
import type { Database } from '../../database/client/database.ts'
import { recipientHeader } from '../../mail/campaign/campaign-template.ts'
import { addressHeader } from '../../mail/mime/header-lines.ts'
import { canonicalField } from '../../mail/signing/dkim-canonical.ts'
import { readHead } from '../presentation/message-head.ts'
import type { FeedbackTarget } from '../feedback-target.ts'

/**
 * By the name of the field, in lower case; empty where the mail is gone. Our own signatures have
 * the relaxed form.
 */
export async function addressLines(
  { db }: { db: Database },
  target: (FeedbackTarget & { workspaceId: number }) | null,
): Promise<Map<string, string>> {
  if (target === null) return new Map()
  const lines = new Map<string, string>()
  const add = (name: string, header: string): void =>
    void lines.set(name, canonicalField(header.replace(/\r\n$/, '')))
  if ('messageId' in target) {
    const stored = await addressedHead(db, target.workspaceId, target.messageId)
    if (stored === null) return lines
    const { to, cc } = readHead(stored)
    add('to', addressHeader('To', to))
    if (cc.length > 0) add('cc', addressHeader('Cc', cc))
    return lines
  }
  const subscriber = await addressedSubscriber(db, target.workspaceId, target)
  if (subscriber !== null) add('to', recipientHeader({ fields: {}, ...subscriber }))
  return lines
}
