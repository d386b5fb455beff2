/**
 * Captured mails as a stranger reads them: by an independent MIME parser, waited for by their
 * recipient.
 */
import PostalMime, { type Email } from 'postal-mime'
import { sql } from '../../src/database/client/sql.ts'
import type { Service } from '../../src/core/context.ts'
import { until } from './until.ts'

/** The mails that left for an address, oldest first, once there are this many. */
export async function mailsTo(
  service: Pick<Service, 'db' | 'clock'>,
  workspaceId: number,
  recipient: string,
  count = 1,
): Promise<(Email & { raw: Buffer; messageId: string })[]> {
  const left = () =>
    service.db.rows<{ raw: Buffer; messageId: string }>(sql`
      select raw, message_id from captured_mail where workspace_id = ${workspaceId} and recipient = ${recipient} order by captured_at, id`)
  const rows = await until(left, ({ length }) => length >= count)
  return Promise.all(
    rows.map(async ({ raw, messageId }) => ({ ...(await PostalMime.parse(raw)), raw, messageId })),
  )
}

/** The token of the link in a request to confirm. */
export function confirmToken(mail: { text?: string | undefined }): string {
  const token = /\/confirm\/([\w-]+)/.exec(mail.text ?? '')?.[1]
  if (token === undefined) throw new Error(`No link to confirm in ${mail.text}`)
  return token
}
