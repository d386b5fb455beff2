/** Mails one of our links to a user, in the name of a workspace that can send. */
import type { Database } from '../../db/connection/connect.ts'
import { workspacesOf } from '../../db/users/memberships.ts'
import { notifierOf, type Notifier } from '../../db/sending/notices.ts'
import { writeWorkspaceNotice } from '../../mail/notices/workspace-notice.ts'
import type { Context } from '../context.ts'
import { admitNotice } from '../notices/admit-notice.ts'
import { sendsFrom } from '../notices/notify-workspace.ts'
import { userLinkTexts, type LinkMail } from './user-link-texts.ts'

/** The sender of our mails: a workspace with a sender on a verified domain. */
export type Mailer = Notifier & { workspaceId: number; sender: NonNullable<Notifier['sender']> }

/** Returns null when the workspace cannot send. */
export async function findMailer(db: Database, workspaceId: number): Promise<Mailer | null> {
  const { sender, ...notifier } = await notifierOf(db, workspaceId)
  return sender && (await sendsFrom(db, workspaceId, sender.email)) ? { ...notifier, workspaceId, sender } : null
}

/** The first of a user's workspaces that can send. */
export async function findTheirMailer(db: Database, userId: string): Promise<Mailer | null> {
  for (const { id } of await workspacesOf(db, userId)) {
    const mailer = await findMailer(db, id)
    if (mailer) return mailer
  }
  return null
}

/**
 * Admits the mail in the caller's transaction; after the commit the caller wakes the lane `transactional`. `language` null: the
 * workspace's.
 */
export async function mailUser(
  ctx: Pick<Context, 'makeId' | 'settings'>,
  tx: Database,
  { mailer, to, language, mail }: { mailer: Mailer; to: string; language: 'fr' | 'en' | null; mail: LinkMail },
): Promise<void> {
  const { workspaceId, sender, workspaceName, postalAddress } = mailer
  const spoken = language ?? mailer.language ?? ctx.settings.language
  const { subject, paragraphs, action } = userLinkTexts(spoken, mail)
  const link = { text: action, url: mail.url }
  const written = writeWorkspaceNotice(spoken, { workspaceName, postalAddress, subject, paragraphs, link })
  await admitNotice(ctx, tx, { workspaceId, notice: { from: sender, to, ...written, passesUnsubscribe: true, isPrivate: true } })
}
