/** Asks a person to confirm: the evidence of the asking and the mail that carries it, in the transaction of whoever asks. */
import type { ErrorDetails } from '../../contract/errors.ts'
import type { Database } from '../../db/connect.ts'
import { insertConsent } from '../../db/consents.ts'
import { domainsOf } from '../../db/domains.ts'
import { notifierOf } from '../../db/notices.ts'
import { workspaceStanding } from '../../db/standing.ts'
import { writeConfirmationMail } from '../../mail/confirmation-mail.ts'
import type { Context } from '../context.ts'
import { admitNotice, domainOf } from '../sending/admit-notice.ts'
import { suspensionDetails } from '../sending/refusal-details.ts'
import { showSending } from '../workspaces/get-account.ts'

/** In whose name a workspace asks now. */
export interface Asker {
  workspaceName: string
  language: 'fr' | 'en'
  postalAddress: string | null
  from: { name: string | null; email: string }
}

/** Why a workspace can ask nobody now. */
export type NoAsker =
  | { refusal: 'reputation_blocked'; details: ErrorDetails }
  | { refusal: 'no_sender' }
  | { refusal: 'unverified_from_domain'; details: ErrorDetails }

/** Who asks for a workspace; judged in the order in which a send is: reputation, then the sender and its domain. */
export async function findAsker(ctx: Pick<Context, 'settings'>, db: Database, workspaceId: number): Promise<Asker | NoAsker> {
  const standing = await workspaceStanding(db, workspaceId)
  if (showSending(standing).status === 'suspended') return { refusal: 'reputation_blocked', details: suspensionDetails(standing) }
  const { sender, language, ...rest } = await notifierOf(db, workspaceId)
  if (!sender) return { refusal: 'no_sender' }
  const domains = await domainsOf(db, workspaceId)
  const verifiedDomains = domains.filter(({ status }) => status === 'verified').map(({ name }) => name)
  if (!verifiedDomains.includes(domainOf(sender.email))) {
    return { refusal: 'unverified_from_domain', details: { from: sender.email, verifiedDomains } }
  }
  return { ...rest, language: language ?? ctx.settings.language, from: sender }
}

/** Whom, by which door, and what the person was shown there. */
export interface ConfirmationToAsk {
  subscriber: { id: string; email: string }
  /** `form`: the person asks themself, so that their own `unsubscribe` does not keep the mail back, and confirming lifts it. */
  source: 'api' | 'form'
  /** The words of the form; null: the mail's own words are all that was shown. */
  shown: string | null
  ip: string | null
  userAgent: string | null
  apiKeyId: string | null
}

/**
 * Writes the evidence and admits the mail, both in the caller's transaction; answers what the token of the mail's link names.
 * Whoever commits wakes the lane `transactional`. Whether the person may be asked at all, and how often, the caller judges.
 */
export async function sendConfirmation(
  ctx: Pick<Context, 'makeId' | 'linkTokens' | 'settings'>,
  tx: Database,
  workspaceId: number,
  { asker, ask }: { asker: Asker; ask: ConfirmationToAsk },
): Promise<{ consentId: string; messageId: string }> {
  const { subscriber, shown, ...door } = ask
  const consentId = ctx.makeId()
  const token = ctx.linkTokens.make('confirm', { workspaceId, first: subscriber.id, second: consentId })
  const mail = writeConfirmationMail(asker.language, { ...asker, link: `${ctx.settings.baseUrl}/confirm/${token}` })
  const messageId = await admitNotice(ctx, tx, workspaceId, {
    ...{ from: asker.from, to: subscriber.email, passesUnsubscribe: ask.source === 'form' },
    ...mail,
  })
  await insertConsent(tx, workspaceId, {
    ...{ id: consentId, subscriberId: subscriber.id, email: subscriber.email, act: 'asked', shown: shown ?? mail.text },
    ...{ ...door, messageId, campaignId: null },
  })
  return { consentId, messageId }
}
