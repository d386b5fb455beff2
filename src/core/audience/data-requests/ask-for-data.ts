/**
 * Takes what a contact asks for on their page, at most once a day: the link to what is stored about
 * them, which is mailed to the address alone and never to a suppressed one; or, where the address is
 * suppressed, that the workspace erases them. Who was forwarded a mail has the page too, so they
 * learn nothing by asking, and nobody is erased by it.
 */
import { retrying } from '../../../database/client/retrying.ts'
import type { Database } from '../../../database/client/database.ts'
import { hasRequestedToday } from '../../../db/audience/data-requests.ts'
import { lockSubscriber } from '../../../db/audience/subscribers.ts'
import { insertChoiceEvidence } from '../../../db/audience/topic-choices.ts'
import { takeSignUp } from '../../../db/forms/sign-up-limits.ts'
import { workspaceSettings } from '../../../db/workspaces/workspace-settings.ts'
import type { LinkSubject } from '../../../ground/link-tokens.ts'
import { recipientTexts } from '../../../ground/texts/recipient-texts.ts'
import { fill } from '../../../ground/texts/texts.ts'
import { writeWorkspaceNotice } from '../../../mail/notices/workspace-notice.ts'
import type { Context } from '../../context.ts'
import { admitNotice } from '../../notices/admit-notice.ts'
import { noticeTexts } from '../../notices/notice-texts.ts'
import { notifyWorkspace } from '../../notices/notify-workspace.ts'
import { campaignOf } from '../../suppression/unsubscribe-by-link.ts'
import type { Asker } from '../consent/send-confirmation.ts'
import { findPreferences, type Preferences } from '../preferences/find-preferences.ts'
import { isWithinDataRate, recordContactAct } from './contact-acts.ts'
import { dataOffer } from './data-offer.ts'

type Parts = Pick<
  Context,
  'db' | 'countingDb' | 'makeId' | 'settings' | 'linkTokens' | 'log' | 'wake' | 'failpoints'
>

export interface DataRequest {
  /** What the page offered. */
  kind: keyof typeof acts
  /** From a token with purpose `unsubscribe`. */
  subject: LinkSubject
  /** The words beside the button. */
  shown: string
  ip: string
  userAgent: string | null
}

const acts = { mail: 'data_requested', left: 'erasure_requested' } as const

/** Notices of erasures that a workspace gets in an hour. Requests beyond are stored alone. */
const noticesMax = 10

/**
 * `taken` says nothing of whether they asked today already. Null means that the request is not taken:
 * the contact was erased, their page offers something else now, or their workspace does not allow it.
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
      if (offer?.kind !== request.kind) return null
      const act = acts[request.kind]
      if (await hasRequestedToday(tx, workspaceId, { subscriberId, act })) return 'taken' as const
      const id = await recordRequest(ctx, tx, request)
      if (offer.kind === 'mail')
        await mailLink(ctx, tx, { id, subject: request.subject, contact, asker: offer.asker })
      else await notifyOfErasure(ctx, tx, request.subject)
      await ctx.failpoints?.hit('data.asked')
      return 'taken' as const
    }),
  )
  if (taken === 'taken') ctx.wake('transactional')
  return taken
}

/**
 * The evidence, the entry of the audit log and the mail are there together, or not at all. Returns
 * the identifier of the evidence.
 */
async function recordRequest(
  ctx: Parts,
  tx: Database,
  { kind, subject, shown, ip, userAgent }: DataRequest,
): Promise<string> {
  const { workspaceId, second: subscriberId } = subject
  const id = ctx.makeId()
  await insertChoiceEvidence(tx, workspaceId, [
    {
      ...{ id, subscriberId, act: acts[kind], topic: null, shown, source: 'link' },
      ...{ ip, userAgent, campaignId: campaignOf(subject) },
    },
  ])
  const act = `subscriber.${acts[kind]}` as const
  await recordContactAct(ctx, tx, { workspaceId, act, subject: subscriberId })
  return id
}

interface Link extends Pick<DataRequest, 'subject'> {
  id: string
  contact: Preferences
  asker: Asker
}

/** Evidence and mail have one identifier: the link works for an hour from when its mail has left. */
async function mailLink(
  ctx: Parts,
  tx: Database,
  { id, subject, contact, asker }: Link,
): Promise<void> {
  const { workspaceId, second: subscriberId } = subject
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
}

/** The mail names nobody: an erasure would not find the address in it. */
async function notifyOfErasure(
  ctx: Parts,
  tx: Database,
  { workspaceId, second: subscriberId }: LinkSubject,
): Promise<void> {
  if (!(await takeSignUp(tx, workspaceId, { bucket: 'erasure', max: noticesMax }))) return
  const { slug } = await workspaceSettings(tx, workspaceId)
  await notifyWorkspace(ctx, tx, {
    workspaceId,
    cause: 'a contact asks for erasure',
    texts: noticeTexts((texts) => texts.erasureRequested, {
      url: `${ctx.settings.baseUrl}/app/${slug}/subscribers/${subscriberId}`,
    }),
  })
}
