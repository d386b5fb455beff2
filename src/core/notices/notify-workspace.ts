/** Tells a workspace what it must know of itself, by mail: suspended, a domain that broke, a webhook that was switched off. */
import { parseMailbox } from '../../contract/address.ts'
import type { Database } from '../../db/connection/connect.ts'
import { domainsOf } from '../../db/domains/domains.ts'
import { notifierOf } from '../../db/sending/notices.ts'
import { workspaceSettings } from '../../db/workspaces/workspace-settings.ts'
import { writeWorkspaceNotice } from '../../mail/notices/workspace-notice.ts'
import type { Context } from '../context.ts'
import { admitNotice } from './admit-notice.ts'
import type { NoticeTexts } from './notice-texts.ts'
import { domainOf } from '../domain-of.ts'

/**
 * Admits one notice in the caller's transaction, which is also what makes it one: write beside it what says that it was told.
 * It goes to the workspace's contact, else to its default sender, from that sender. Whoever commits wakes the lane
 * `transactional`. Where no mail can go out the log alone tells; it tells the cause in any case.
 */
export async function notifyWorkspace(
  ctx: Pick<Context, 'makeId' | 'settings' | 'log'>,
  tx: Database,
  workspaceId: number,
  { cause, texts }: { cause: string; texts: NoticeTexts },
): Promise<void> {
  const { sender, language, workspaceName, postalAddress } = await notifierOf(tx, workspaceId)
  const isMailed = sender !== null && (await sendsFrom(tx, workspaceId, sender.email))
  ctx.log.warn({ workspaceId, cause, mailed: isMailed }, 'A workspace is told')
  if (!isMailed) return
  const spoken = language ?? ctx.settings.language
  const mail = writeWorkspaceNotice(spoken, { workspaceName, postalAddress, ...texts[spoken] })
  const to = (await workspaceSettings(tx, workspaceId)).contact ?? sender.email.toLowerCase()
  await admitNotice(ctx, tx, workspaceId, { from: sender, to, ...mail, passesUnsubscribe: true })
}

/** Whether mail of ours may be from this address now: its domain is a verified one of the workspace. */
export async function sendsFrom(tx: Database, workspaceId: number, email: string): Promise<boolean> {
  if ('rule' in parseMailbox(email)) return false
  const domains = await domainsOf(tx, workspaceId)
  return domains.some(({ name, status }) => status === 'verified' && name === domainOf(email))
}
