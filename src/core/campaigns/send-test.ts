/**
 * Sends one copy of a campaign as a test: it is marked as such, and counts in no statistics and no
 * quota.
 */
import { parseMailbox, type Mailbox } from '../../ground/address.ts'
import { ApiError } from '../../contract/errors.ts'
import { accountStatus } from '../../db/workspaces/account-status.ts'
import { subscriberByEmail } from '../../db/audience/subscribers.ts'
import { suppressionsOf } from '../../db/suppression/suppressions.ts'
import { compileCampaign } from '../../mail/campaign/compile-campaign.ts'
import { openTemplate } from '../../mail/campaign/campaign-template.ts'
import type { Context } from '../context.ts'
import { admitNotice } from '../notices/admit-notice.ts'
import { checkSenderDomain } from '../sending/choose-sender.ts'
import { draftToCompile, storedMailboxes } from './draft-to-compile.ts'
import { findCampaign } from './find-campaign.ts'
import { sendingStatus } from '../reputation/account-status.ts'

/**
 * Returns the message's id. If the address is a subscriber's, their values are filled in. The
 * checks are those of every send. Throws `not_found`, `validation_error` (`no_sender`),
 * `unverified_from_domain`, `reputation_blocked`, `suppressed_recipient`.
 */
export async function sendTest(
  ctx: Pick<Context, 'db' | 'makeId' | 'settings' | 'wake'>,
  { workspaceId, id, to }: { workspaceId: number; id: string; to: Mailbox },
): Promise<string> {
  const row = await findCampaign(ctx, { workspaceId, id })
  if (row.fromEmail === null) throw new ApiError('validation_error', { reason: 'no_sender' })
  await checkSend(ctx, workspaceId, { from: row.fromEmail, to })
  const template = openTemplate(compileCampaign(await draftToCompile(ctx, { workspaceId, row })))
  const contact = await subscriberByEmail(ctx.db, workspaceId, to.key)
  const notice = {
    from: { name: row.fromName, email: row.fromEmail },
    replyTo: storedMailboxes(row.replyTo),
    to: to.address,
    subject: `[Test] ${template.renderSubject(contact)}`,
    text: template.renderText(contact, null),
    html: template.renderHtml(contact, null),
    passesUnsubscribe: false,
  }
  const messageId = await ctx.db.transaction((tx) => admitNotice(ctx, tx, { workspaceId, notice }))
  ctx.wake('transactional')
  return messageId
}

async function checkSend(
  { db }: Pick<Context, 'db'>,
  workspaceId: number,
  { from, to }: { from: string; to: Mailbox },
): Promise<void> {
  const mailbox = parseMailbox(from)
  if ('rule' in mailbox) throw new Error(`A sender's address cannot be read: ${mailbox.rule}`)
  await checkSenderDomain({ db }, { workspaceId, ...mailbox })
  const { status, ...rates } = sendingStatus(await accountStatus(db, workspaceId))
  if (status === 'suspended') throw new ApiError('reputation_blocked', rates)
  const [entry] = await suppressionsOf(db, workspaceId, [to.key])
  if (!entry) return
  const { email, reason, scope } = entry
  throw new ApiError('suppressed_recipient', {
    recipients: [{ email, reason, scope }],
    email,
    reason,
  })
}
