/** GET /captured: the workspace's captured mails, newest first. */
import { formatMailbox } from '../../ground/address.ts'
import type { CapturedEntry } from '../../contract/workspace/captured.ts'
import { capturedEntries, type CapturedMailRow as Row } from '../../db/captured/captured-mails.ts'
import { subjectOf } from '../presentation/subject-of.ts'
import { askedPage, pageOf } from '../input/cursor.ts'
import type { Verb } from '../verb.ts'

export const listCapturedMails: Verb<'listCapturedMails'> = async (ctx, { query }) => {
  const page = askedPage(query, [ctx.workspaceId, 'captured'])
  const rows = await capturedEntries(ctx.db, { workspaceId: ctx.workspaceId, ...page })
  const captures = ctx.providers.of(ctx.workspaceId).captures
  return {
    body: {
      ...pageOf(rows, { ...page, place: ({ at, id }) => ({ at, id }), show: presentCaptured }),
      captures,
    },
  }
}

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
