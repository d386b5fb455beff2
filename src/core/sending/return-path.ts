/**
 * Makes return paths: addresses of ours that name the recipient (mail/reports/verp.ts), on a host
 * that is fixed with the mail.
 */
import type { Envelope } from '../../providers/provider.ts'
import {
  complaintHeaders,
  singleFeedbackId,
  type FeedbackAddress,
} from '../../mail/reports/feedback-headers.ts'
import type { MailSubject } from '../../mail/reports/verp.ts'
import type { Context } from '../context.ts'

/**
 * The parts of an envelope that say where feedback goes, and which notices the next server is asked
 * for (RFC 3461).
 */
export type ReturnPath = Pick<Envelope, 'returnPath' | 'notify'>

/** The host of a mail's return paths, and its sender. */
export interface MailSource extends FeedbackAddress {
  address: string
}

/**
 * Makes the return path of a single mail, and the header lines that are of this recipient alone.
 * Its sender waits for feedback, so all notices are requested: only a success notice proves
 * delivery. Without a host of ours no notice is requested, since it would go to the sender's own
 * mailbox.
 */
export function makeReturnPath(
  { verp }: Pick<Context, 'verp'>,
  { from, subject }: { from: MailSource; subject: MailSubject },
): ReturnPath & { headers: string } {
  const feedbackId = singleFeedbackId(from.domain)
  if (from.host === null) return { returnPath: from.address, headers: feedbackId }
  const { bounce, feedback } = verp.makeAll(subject)
  return {
    returnPath: `${bounce}@${from.host}`,
    notify: 'all',
    headers: complaintHeaders(from, feedback) + feedbackId,
  }
}

/**
 * Makes the return path of a campaign's recipient, the local part of the mailto in its
 * List-Unsubscribe, and its own header lines. Only failure notices are requested: success notices
 * would double the campaign's mail and the relay's queue. Without feedback the mail is assumed
 * delivered, and reported as such.
 */
export function makeCampaignAddresses(
  { verp }: Pick<Context, 'verp'>,
  { from, subject }: { from: MailSource; subject: MailSubject },
): { returnPath: ReturnPath; mailto: string | null; headers: string } {
  if (from.host === null)
    return { returnPath: { returnPath: from.address }, mailto: null, headers: '' }
  const { bounce, unsubscribe, feedback } = verp.makeAll(subject)
  return {
    returnPath: { returnPath: `${bounce}@${from.host}`, notify: 'trouble' },
    mailto: unsubscribe,
    headers: complaintHeaders(from, feedback),
  }
}
