/** Mails one of our links to a person, in the name of a workspace that can send. */
import type { Database } from '../../db/connect.ts'
import { workspacesOf } from '../../db/memberships.ts'
import { notifierOf } from '../../db/notices.ts'
import type { Notifier } from '../../db/notices.ts'
import { writeWorkspaceNotice } from '../../mail/workspace-notice.ts'
import type { Context } from '../context.ts'
import { admitNotice } from '../sending/admit-notice.ts'
import { sendsFrom } from '../workspaces/notify-workspace.ts'
import { personLinkTexts } from './person-link-texts.ts'
import type { LinkMail } from './person-link-texts.ts'

/** In whose name mails of ours go out: a workspace with a sender on a verified domain. */
export type Mailer = Notifier & { workspaceId: number; sender: NonNullable<Notifier['sender']> }

/** Null: the workspace cannot send. */
export async function findMailer(db: Database, workspaceId: number): Promise<Mailer | null> {
  const { sender, ...notifier } = await notifierOf(db, workspaceId)
  return sender && (await sendsFrom(db, workspaceId, sender.email)) ? { ...notifier, workspaceId, sender } : null
}

/** The first of a person's workspaces that can send. */
export async function findTheirMailer(db: Database, personId: string): Promise<Mailer | null> {
  for (const { id } of await workspacesOf(db, personId)) {
    const mailer = await findMailer(db, id)
    if (mailer) return mailer
  }
  return null
}

/** Admits the mail in the caller's transaction; whoever commits wakes the lane `transactional`. `language` null: the workspace's. */
export async function mailPerson(
  ctx: Pick<Context, 'makeId' | 'settings'>,
  tx: Database,
  mailer: Mailer,
  { to, language, mail }: { to: string; language: 'fr' | 'en' | null; mail: LinkMail },
): Promise<void> {
  const { workspaceId, sender, workspaceName, postalAddress } = mailer
  const spoken = language ?? mailer.language ?? ctx.settings.language
  const { subject, paragraphs, action } = personLinkTexts(spoken, mail)
  const link = { text: action, url: mail.url }
  const written = writeWorkspaceNotice(spoken, { workspaceName, postalAddress, subject, paragraphs, link })
  await admitNotice(ctx, tx, workspaceId, { from: sender, to, ...written, passesUnsubscribe: true, isPrivate: true })
}
