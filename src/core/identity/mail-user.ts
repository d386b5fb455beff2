/** Mails one of our links to a user, in the name of a workspace that can send. */
import type { Database } from '../../database/client/database.ts'
import { workspacesOf } from '../../db/users/memberships.ts'
import { notifierOf, type Notifier } from '../../db/sending/notices.ts'
import { writeWorkspaceNotice } from '../../mail/notices/workspace-notice.ts'
import { fill, texts, type Language, type Texts } from '../../ground/texts/texts.ts'
import { ofWorkspace } from '../databases.ts'
import type { Context, Service } from '../context.ts'
import { admitNotice } from '../notices/admit-notice.ts'
import { sendsFrom } from '../notices/notify-workspace.ts'
import { languageForMembers } from '../../ground/texts/languages.ts'

/** The sender of our mails: a workspace with a sender on a verified domain. */
export type Mailer = Notifier & { workspaceId: number; sender: NonNullable<Notifier['sender']> }

/** The facts about a link that its mail names. */
export type LinkMail =
  | { kind: 'invitation'; workspaceName: string; invitedBy: string | null; url: string }
  | { kind: 'reset'; url: string }
  | { kind: 'factor_removed'; url: string }
  | { kind: 'approval'; askedBy: string; campaign: string; recipients: number; url: string }

/** Returns null when the workspace cannot send. */
export async function findMailer(db: Database, workspaceId: number): Promise<Mailer | null> {
  const { sender, ...notifier } = await notifierOf(db, workspaceId)
  return sender && (await sendsFrom(db, workspaceId, sender.email))
    ? { ...notifier, workspaceId, sender }
    : null
}

/**
 * The first of a user's workspaces that can send, and the service of its database: the mail is
 * admitted in a transaction of that.
 */
export async function findTheirMailer(
  ctx: Service,
  userId: string,
): Promise<{ mailer: Mailer; at: Service } | null> {
  for (const { id } of await workspacesOf(ctx.db, userId)) {
    const at = await ofWorkspace(ctx, id)
    const mailer = await findMailer(at.db, id)
    if (mailer) return { mailer, at }
  }
  return null
}

/**
 * Admits the mail in the caller's transaction; after the commit the caller wakes the lane
 * `transactional`. A null `language` means the workspace's.
 */
export async function mailUser(
  ctx: Pick<Context, 'makeId' | 'settings'>,
  tx: Database,
  {
    mailer,
    to,
    language,
    mail,
  }: { mailer: Mailer; to: string; language: Language | null; mail: LinkMail },
): Promise<void> {
  const { workspaceId, sender, workspaceName, postalAddress } = mailer
  const spoken = language ?? languageForMembers(mailer.language, ctx.settings.language)
  const { subject, paragraphs, action } = userLinkTexts(spoken, mail)
  const link = { text: action, url: mail.url }
  const written = writeWorkspaceNotice(spoken, {
    workspaceName,
    postalAddress,
    subject,
    paragraphs,
    link,
  })
  await admitNotice(ctx, tx, {
    workspaceId,
    notice: { from: sender, to, ...written, passesUnsubscribe: true, isPrivate: true },
  })
}

/** `action`: the effect of the link. */
function userLinkTexts(language: Language, mail: LinkMail): Texts['passwordReset'] {
  const { invitation, passwordReset, factorRemoved, approvalAsked } = texts[language]
  if (mail.kind === 'reset') return passwordReset
  if (mail.kind === 'factor_removed') return factorRemoved
  if (mail.kind === 'approval')
    return fillAll(approvalAsked, {
      ...{ member: mail.askedBy, campaign: mail.campaign },
      recipients: mail.recipients.toLocaleString(language),
    })
  const { operator, ...words } = invitation
  return fillAll(words, { workspace: mail.workspaceName, inviter: mail.invitedBy ?? operator })
}

const fillAll = (
  { subject, paragraphs, action }: Texts['passwordReset'],
  values: Record<string, string>,
): Texts['passwordReset'] => ({
  subject: fill(subject, values),
  paragraphs: paragraphs.map((paragraph) => fill(paragraph, values)),
  action,
})
