/**
 * Sends confirmation mails: stores the evidence and admits the mail, in the caller's transaction.
 */
import type { ErrorDetails } from '../../../contract/errors.ts'
import type { FormMail } from '../../../contract/workspace/forms.ts'
import type { Database } from '../../../database/client/database.ts'
import { insertConsents, type ConsentRow } from '../../../db/audience/consents.ts'
import { domainsOf } from '../../../db/domains/domains.ts'
import { notifierOf } from '../../../db/sending/notices.ts'
import { accountStatus } from '../../../db/workspaces/account-status.ts'
import { writeConfirmationMail } from '../../../mail/notices/confirmation-mail.ts'
import type { Context } from '../../context.ts'
import { admitNotices } from '../../notices/admit-notice.ts'
import { suspensionDetails, sendingStatus } from '../../reputation/account-status.ts'
import { domainOf } from '../../domain-of.ts'
import type { RecipientLanguage } from '../../../ground/texts/languages.ts'

/** The sender of a workspace's confirmations. */
export interface Asker {
  workspaceName: string
  language: RecipientLanguage
  postalAddress: string | null
  from: { name: string | null; email: string }
}

/** Why a workspace cannot send confirmations now. */
export type NoAsker =
  | { refusal: 'reputation_blocked'; details: ErrorDetails }
  | { refusal: 'no_sender' }
  | { refusal: 'unverified_from_domain'; details: ErrorDetails }

/**
 * Finds the sender of confirmations, with the checks of a send in order: reputation, then the
 * sender and its domain.
 */
export async function findAsker(
  ctx: Pick<Context, 'settings'>,
  db: Database,
  workspaceId: number,
): Promise<Asker | NoAsker> {
  const account = await accountStatus(db, workspaceId)
  if (sendingStatus(account).status === 'suspended')
    return { refusal: 'reputation_blocked', details: suspensionDetails(account) }
  const { sender, language, ...rest } = await notifierOf(db, workspaceId)
  if (!sender) return { refusal: 'no_sender' }
  const domains = await domainsOf(db, workspaceId)
  const verifiedDomains = domains
    .filter(({ status }) => status === 'verified')
    .map(({ name }) => name)
  if (!verifiedDomains.includes(domainOf(sender.email))) {
    return { refusal: 'unverified_from_domain', details: { from: sender.email, verifiedDomains } }
  }
  return { ...rest, language: language ?? ctx.settings.language, from: sender }
}

/** The subscriber to ask, the entry point that they used, and the text that it showed. */
export interface ConfirmationToAsk extends Pick<
  ConsentRow,
  'shown' | 'ip' | 'userAgent' | 'apiKeyId' | 'person'
> {
  subscriber: { id: string; email: string }
  /**
   * `form`: the contact asks themself, so their own `unsubscribe` does not block the mail, and
   * confirming lifts it.
   */
  source: 'api' | 'form' | 'import' | 'workspace'
  /** The form's own text for the mail. Absent or null means ours. */
  words?: FormMail | null
  /** When the mail leaves. Absent means at once. */
  leavesAt?: Date
}

/** The confirmation that the token of a mail's link identifies. */
export interface SentConfirmation {
  consentId: string
  messageId: string
}

/**
 * Stores the evidence and admits the mails in the caller's transaction; returns them in the given
 * order. After the commit the caller wakes the lane `transactional`. The caller also checks whether
 * contacts may be asked, and how often.
 */
export async function sendConfirmations(
  ctx: Pick<Context, 'makeId' | 'linkTokens' | 'settings'>,
  tx: Database,
  { workspaceId, asker, asks }: { workspaceId: number; asker: Asker; asks: ConfirmationToAsk[] },
): Promise<SentConfirmation[]> {
  const written = asks.map((ask) => {
    const consentId = ctx.makeId()
    const token = ctx.linkTokens.make('confirm', {
      workspaceId,
      first: ask.subscriber.id,
      second: consentId,
    })
    return {
      ask,
      consentId,
      mail: writeConfirmationMail(asker.language, {
        ...asker,
        words: ask.words ?? null,
        link: `${ctx.settings.baseUrl}/confirm/${token}`,
      }),
    }
  })
  const messageIds = await admitNotices(ctx, tx, {
    workspaceId,
    notices: written.map(({ ask, mail }) => ({
      ...{ from: asker.from, to: ask.subscriber.email, passesUnsubscribe: ask.source === 'form' },
      leavesAt: ask.leavesAt,
      purpose: 'confirmation' as const,
      ...mail,
    })),
  })
  const sent = written.map((item, index) => ({ ...item, messageId: messageIds[index] ?? '' }))
  await insertConsents(
    tx,
    workspaceId,
    sent.map(
      ({
        ask: { subscriber, shown, leavesAt: _scheduled, ...origin },
        consentId,
        messageId,
        mail,
      }) => ({
        ...{
          id: consentId,
          subscriberId: subscriber.id,
          email: subscriber.email,
          act: 'asked' as const,
          shown: shown ?? mail.text,
        },
        ...{ ...origin, messageId, campaignId: null },
      }),
    ),
  )
  return sent.map(({ consentId, messageId }) => ({ consentId, messageId }))
}

/** Sends one confirmation. */
export async function sendConfirmation(
  ctx: Pick<Context, 'makeId' | 'linkTokens' | 'settings'>,
  tx: Database,
  { workspaceId, asker, ask }: { workspaceId: number; asker: Asker; ask: ConfirmationToAsk },
): Promise<SentConfirmation> {
  const [sent] = await sendConfirmations(ctx, tx, { workspaceId, asker, asks: [ask] })
  if (!sent) throw new Error('A confirmation was not sent')
  return sent
}
