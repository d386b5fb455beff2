/**
 * Admits notices: mails that the service itself writes, such as confirmations, invitations and
 * warnings to a workspace.
 */
import type { Database } from '../../database/client/database.ts'
import { insertNotices, type NoticeRow } from '../../db/sending/notices.ts'
import type { Context } from '../context.ts'
import type { Head, NoticePurpose } from '../presentation/message-head.ts'
import { domainOf } from '../domain-of.ts'

export interface Notice {
  from: { name: string | null; email: string }
  /** The recipient's address, lower-cased as in the database. */
  to: string
  subject: string
  text: string
  html: string
  /** Where answers go. Absent means to the sender. */
  replyTo?: Head['replyTo']
  /**
   * Whether the recipient requested it themself, so that their own `unsubscribe` does not block it.
   */
  passesUnsubscribe: boolean
  /** When it leaves. Absent means at once. */
  leavesAt?: Date | undefined
  /**
   * It gives its recipient access, so other members of the workspace may not read the captured
   * mail.
   */
  isPrivate?: true
  purpose?: NoticePurpose
}

/**
 * Admits notices in the caller's transaction and returns their messages' ids; after the commit the
 * caller wakes the lane `transactional`. They are composed, claimed and retried like any message.
 * No quota counts them, and no API key reads them.
 */
export async function admitNotices(
  ctx: Pick<Context, 'makeId'>,
  tx: Database,
  { workspaceId, notices }: { workspaceId: number; notices: Notice[] },
): Promise<string[]> {
  const rows = notices.map((notice) => noticeRow(ctx.makeId(), notice))
  await insertNotices(tx, workspaceId, rows)
  return rows.map(({ id }) => id)
}

/**
 * Admits one notice. `isAutomatic`: no user asked for it, so that after a restore it waits for the
 * operator's decision.
 */
export async function admitNotice(
  ctx: Pick<Context, 'makeId'>,
  tx: Database,
  {
    workspaceId,
    notice,
    isAutomatic = false,
  }: { workspaceId: number; notice: Notice; isAutomatic?: boolean },
): Promise<string> {
  const row = noticeRow(ctx.makeId(), notice)
  await insertNotices(tx, workspaceId, [row], { waits: isAutomatic })
  return row.id
}

function noticeRow(id: string, notice: Notice): NoticeRow {
  const head: Head = {
    from: { name: notice.from.name, address: notice.from.email },
    to: [{ name: null, address: notice.to }],
    cc: [],
    bcc: [],
    replyTo: notice.replyTo ?? [],
    // RFC 3834 5: asks for no automatic replies.
    headers: [['Auto-Submitted', 'auto-generated']],
    ...(notice.isPrivate && { private: true }),
    ...(notice.purpose && { purpose: notice.purpose }),
  }
  return {
    id,
    head: JSON.stringify(head),
    subject: notice.subject,
    messageId: `${id}@${domainOf(notice.from.email)}`,
    html: notice.html,
    text: notice.text,
    email: notice.to,
    key: notice.to,
    passesUnsubscribe: notice.passesUnsubscribe,
    leavesAt: notice.leavesAt ?? null,
  }
}
