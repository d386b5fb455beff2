/**
 * Notifies a workspace by mail: of a suspension, a paused campaign, a domain that lost its records,
 * a webhook that was disabled, or a contact who asks for erasure.
 */
import { parseMailbox } from '../../ground/address.ts'
import type { Database } from '../../database/client/database.ts'
import { domainsOf } from '../../db/domains/domains.ts'
import { notifierOf } from '../../db/sending/notices.ts'
import { workspaceSettings } from '../../db/workspaces/workspace-settings.ts'
import { writeWorkspaceNotice } from '../../mail/notices/workspace-notice.ts'
import type { Context } from '../context.ts'
import { admitNotice } from './admit-notice.ts'
import type { NoticeTexts } from './notice-texts.ts'
import { domainOf } from '../domain-of.ts'
import { languageForMembers } from '../../ground/texts/languages.ts'

/**
 * Admits one notice in the caller's transaction: write the mark that it was sent in the same
 * transaction. It goes to the workspace's contact, else to its default sender, and comes from that
 * sender. After the commit the caller wakes the lane `transactional`. The log always has the cause,
 * even if no mail can be sent.
 */
export async function notifyWorkspace(
  ctx: Pick<Context, 'makeId' | 'settings' | 'log'>,
  tx: Database,
  { workspaceId, cause, texts }: { workspaceId: number; cause: string; texts: NoticeTexts },
): Promise<void> {
  const { sender, language, workspaceName, postalAddress } = await notifierOf(tx, workspaceId)
  const isMailed = sender !== null && (await sendsFrom(tx, workspaceId, sender.email))
  ctx.log.warn({ workspaceId, cause, mailed: isMailed }, 'A workspace is notified')
  if (!isMailed) return
  const spoken = languageForMembers(language, ctx.settings.language)
  const mail = writeWorkspaceNotice(spoken, { workspaceName, postalAddress, ...texts[spoken] })
  const to = (await workspaceSettings(tx, workspaceId)).contact ?? sender.email.toLowerCase()
  await admitNotice(ctx, tx, {
    workspaceId,
    isAutomatic: true,
    notice: { from: sender, to, ...mail, passesUnsubscribe: true },
  })
}

/** Whether the address may send now: its domain is verified in the workspace. */
export async function sendsFrom(
  tx: Database,
  workspaceId: number,
  email: string,
): Promise<boolean> {
  if ('rule' in parseMailbox(email)) return false
  const domains = await domainsOf(tx, workspaceId)
  return domains.some(({ name, status }) => status === 'verified' && name === domainOf(email))
}
