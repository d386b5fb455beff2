/**
 * Sends copies of a campaign as a test: they are marked as such and count in no statistics. The
 * audit log has those that a program sends.
 */
import { parseMailbox, type Mailbox } from '../../ground/address.ts'
import { ApiError } from '../../contract/errors.ts'
import { accountStatus } from '../../db/workspaces/account-status.ts'
import { subscriberByEmail } from '../../db/audience/subscribers.ts'
import type { Database } from '../../database/client/database.ts'
import { reserveQuota } from '../../db/sending/quota.ts'
import { suppressionsOf } from '../../db/suppression/suppressions.ts'
import { compileCampaign } from '../../mail/campaign/compile-campaign.ts'
import { openTemplate } from '../../mail/campaign/campaign-template.ts'
import { recordAuditEntry } from '../audit/record-audit-entry.ts'
import { isByKey, type CallContext, type Context } from '../context.ts'
import { admitNotices, type Notice } from '../notices/admit-notice.ts'
import { checkSenderDomain } from '../sending/choose-sender.ts'
import { draftToCompile, storedMailboxes } from './draft-to-compile.ts'
import { findCampaign } from './find-campaign.ts'
import { sendingStatus } from '../reputation/account-status.ts'

/**
 * Returns the messages in the order of `to`; all are admitted or none. Where an address is a
 * subscriber's, their values are filled in. The checks are those of every send; `counted` of the
 * copies are debited from the quota. Throws `not_found`, `validation_error` (`no_sender`),
 * `unverified_from_domain`, `reputation_blocked`, `suppressed_recipient`, `quota_exceeded`.
 */
export async function sendTest(
  ctx: Pick<Context, 'db' | 'makeId' | 'settings' | 'wake'> &
    Partial<Pick<CallContext, 'apiKey' | 'requester'>>,
  {
    workspaceId,
    id,
    to,
    counted = 0,
  }: { workspaceId: number; id: string; to: Mailbox[]; counted?: number },
): Promise<{ id: string; to: string }[]> {
  const row = await findCampaign(ctx, { workspaceId, id })
  const { fromEmail } = row
  if (fromEmail === null) throw new ApiError('validation_error', { reason: 'no_sender' })
  await checkSend(ctx, workspaceId, { from: fromEmail, to })
  const template = openTemplate(compileCampaign(await draftToCompile(ctx, { workspaceId, row })))
  const writeTo = async ({ key, address }: Mailbox): Promise<Notice> => {
    const contact = await subscriberByEmail(ctx.db, workspaceId, key)
    return {
      from: { name: row.fromName, email: fromEmail },
      replyTo: storedMailboxes(row.replyTo),
      to: address,
      subject: `[Test] ${template.renderSubject(contact)}`,
      text: template.renderText(contact, null),
      html: template.renderHtml(contact, null),
      passesUnsubscribe: false,
      purpose: 'test',
    }
  }
  const notices = await Promise.all(to.map(writeTo))
  const messageIds = await ctx.db.transaction(async (tx) => {
    const ids = await admitNotices(ctx, tx, { workspaceId, notices })
    if (isByKey(ctx))
      await recordAuditEntry(
        tx,
        { ...ctx, workspaceId },
        {
          act: 'campaign.tested',
          subject: row.name,
          details: { campaign: id, recipients: to.length },
        },
      )
    if (counted > 0) await debitQuota(tx, workspaceId, counted)
    return ids
  })
  ctx.wake('transactional')
  return messageIds.map((messageId, index) => ({ id: messageId, to: to[index]?.address ?? '' }))
}

/** Called last in its transaction, which a refusal rolls back. */
async function debitQuota(tx: Database, workspaceId: number, needed: number): Promise<void> {
  const reservation = await reserveQuota(tx, workspaceId, needed)
  if (!reservation.reserved)
    throw new ApiError('quota_exceeded', { needed, remaining: reservation.remaining })
}

async function checkSend(
  { db }: Pick<Context, 'db'>,
  workspaceId: number,
  { from, to }: { from: string; to: Mailbox[] },
): Promise<void> {
  const mailbox = parseMailbox(from)
  if ('rule' in mailbox) throw new Error(`A sender's address cannot be read: ${mailbox.rule}`)
  await checkSenderDomain({ db }, { workspaceId, ...mailbox })
  const { status, ...rates } = sendingStatus(await accountStatus(db, workspaceId))
  if (status === 'suspended') throw new ApiError('reputation_blocked', rates)
  const entries = await suppressionsOf(
    db,
    workspaceId,
    to.map(({ key }) => key),
  )
  const [first] = entries
  if (!first) return
  throw new ApiError('suppressed_recipient', {
    recipients: entries.map(({ email, reason, scope }) => ({ email, reason, scope })),
    email: first.email,
    reason: first.reason,
  })
}
