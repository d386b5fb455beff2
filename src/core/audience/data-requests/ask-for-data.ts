/**
 * Mails a contact the link to what is stored about them: at most once a day, and never to a
 * suppressed address. The link goes to the address alone, so that who was forwarded a mail learns
 * nothing by asking.
 */
import { retrying } from '../../../database/client/retrying.ts'
import type { Database } from '../../../database/client/database.ts'
import { hasRequestedToday } from '../../../db/audience/data-requests.ts'
import { lockSubscriber } from '../../../db/audience/subscribers.ts'
import { insertChoiceEvidence } from '../../../db/audience/topic-choices.ts'
import type { LinkSubject } from '../../../ground/link-tokens.ts'
import { recipientTexts } from '../../../ground/texts/recipient-texts.ts'
import { fill } from '../../../ground/texts/texts.ts'
import { writeWorkspaceNotice } from '../../../mail/notices/workspace-notice.ts'
import type { Context } from '../../context.ts'
import { admitNotice } from '../../notices/admit-notice.ts'
import { campaignOf } from '../../suppression/unsubscribe-by-link.ts'
import type { Asker } from '../consent/send-confirmation.ts'
import { findPreferences, type Preferences } from '../preferences/find-preferences.ts'
import { isWithinDataRate, recordContactAct } from './contact-acts.ts'
import { dataOffer } from './data-offer.ts'

type Parts = Pick<
  Context,
  'db' | 'countingDb' | 'makeId' | 'settings' | 'linkTokens' | 'wake' | 'failpoints'
>

export interface DataRequest {
  /** From a token with purpose `unsubscribe`. */
  subject: LinkSubject
  /** The words beside the button. */
  shown: string
  ip: string
  userAgent: string | null
}

/**
 * `taken` says nothing of whether one was mailed today already. Null means that nothing is mailed:
 * the contact was erased, is suppressed, or their workspace does not allow it.
 */
export async function askForData(
  ctx: Parts,
  request: DataRequest,
): Promise<'taken' | 'too_many' | null> {
  const { workspaceId, second: subscriberId } = request.subject
  if (!(await isWithinDataRate(ctx, { workspaceId, ip: request.ip }))) return 'too_many'
  const taken = await retrying(() =>
    ctx.db.transaction(async (tx) => {
      if ((await lockSubscriber(tx, workspaceId, subscriberId)) === null) return null
      const contact = await findPreferences({ db: tx }, { workspaceId, subscriberId })
      if (!contact) return null
      const offer = await dataOffer(ctx, tx, { workspaceId, email: contact.email })
      if (offer?.kind !== 'mail') return null
      const repeats = await hasRequestedToday(tx, workspaceId, subscriberId)
      if (!repeats) await mailLink(ctx, tx, { request, contact, asker: offer.asker })
      return 'taken' as const
    }),
  )
  if (taken === 'taken') ctx.wake('transactional')
  return taken
}

/**
 * The evidence, the entry of the audit log and the mail are there together, or not at all. Evidence
 * and mail have one identifier: the link works for an hour from when its mail has left.
 */
async function mailLink(
  ctx: Parts,
  tx: Database,
  { request, contact, asker }: { request: DataRequest; contact: Preferences; asker: Asker },
): Promise<void> {
  const { subject, shown, ip, userAgent } = request
  const { workspaceId, second: subscriberId } = subject
  const id = ctx.makeId()
  await insertChoiceEvidence(tx, workspaceId, [
    {
      ...{ id, subscriberId, act: 'data_requested', topic: null, shown, source: 'link' },
      ...{ ip, userAgent, campaignId: campaignOf(subject) },
    },
  ])
  const act = 'subscriber.data_requested'
  await recordContactAct(ctx, tx, { workspaceId, act, subject: subscriberId })
  const token = ctx.linkTokens.make('data', { workspaceId, first: subscriberId, second: id })
  const language = contact.language ?? asker.language
  const { paragraphs, action, ...words } = recipientTexts[language].dataMail
  const mail = writeWorkspaceNotice(language, {
    ...asker,
    subject: words.subject,
    paragraphs: paragraphs.map((text) => fill(text, { workspace: asker.workspaceName })),
    link: { text: action, url: `${ctx.settings.baseUrl}/data/${token}` },
  })
  await admitNotice({ makeId: () => id }, tx, {
    workspaceId,
    notice: {
      ...{ from: asker.from, to: contact.email, ...mail },
      ...{ passesUnsubscribe: false, isPrivate: true },
    },
  })
  await ctx.failpoints?.hit('data.asked')
}
