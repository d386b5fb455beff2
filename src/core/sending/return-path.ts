/** Where bounces of a mail come back to: an address of ours that names the recipient (mail/reports/verp.ts), on a host fixed with the mail. */
import type { Envelope } from '../../providers/provider.ts'
import type { MailSubject } from '../../mail/reports/verp.ts'
import type { Context } from '../context.ts'

/** The parts of an envelope that say where its news goes, and which the next server is asked for (RFC 3461). */
export type ReturnPath = Pick<Envelope, 'returnPath' | 'notify'>

/**
 * The host of return paths of mail from this domain: the customer's own where its records were found, so that SPF is aligned (RFC 9989
 * 4.4.2); else the installation's; null where there is neither, and bounces go to the sender's address as with any mail program.
 * Asked once for a message or a campaign and kept with it, so that a repeat has the same return path whatever was set up since.
 */
export async function findReturnPathHost(
  { mailDomains, settings }: Pick<Context, 'mailDomains' | 'settings'>,
  workspaceId: number,
  fromDomain: string,
): Promise<string | null> {
  const { returnPathHost } = await mailDomains.get(workspaceId, fromDomain)
  return returnPathHost ?? settings.inboundDomain
}

/**
 * Of a single mail. All news is asked for: somebody waits for it, and only a notice of success tells delivery from silence. It is
 * asked for only where it comes back to us: the sender of a plain return path is a person with a mailbox.
 */
export function makeReturnPath(
  { verp }: Pick<Context, 'verp'>,
  from: { host: string | null; address: string },
  subject: MailSubject,
): ReturnPath {
  if (from.host === null) return { returnPath: from.address }
  return { returnPath: `${verp.make('bounce', subject)}@${from.host}`, notify: 'all' }
}

/**
 * Of a campaign's recipient, with the local part of the mailto of its List-Unsubscribe. Trouble alone is asked for: a notice of each
 * success would double the mail of the whole campaign, and the relay's queue with it; silence is taken for delivery, and said to be.
 */
export function makeCampaignAddresses(
  { verp }: Pick<Context, 'verp'>,
  from: { host: string | null; address: string },
  subject: MailSubject,
): { returnPath: ReturnPath; mailto: string | null } {
  if (from.host === null) return { returnPath: { returnPath: from.address }, mailto: null }
  const { bounce, unsubscribe } = verp.makeBoth(subject)
  return { returnPath: { returnPath: `${bounce}@${from.host}`, notify: 'trouble' }, mailto: unsubscribe }
}
