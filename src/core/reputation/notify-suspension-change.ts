/**
 * Notifies a workspace when its sending is suspended or resumes: once per change, by mail and in
 * the log.
 */
import { gmailSpamRateMax } from '../../contract/thresholds.ts'
import {
  markResumed,
  markSuspended,
  accountStatus,
  type AccountStatusRow,
} from '../../db/workspaces/account-status.ts'
import type { Language } from '../../ground/texts/texts.ts'
import type { Context } from '../context.ts'
import { noticeTexts, type NoticeTexts } from '../notices/notice-texts.ts'
import { notifyWorkspace } from '../notices/notify-workspace.ts'
import { share } from './account-status.ts'

/**
 * The suspension is computed each time (db/workspaces/suspension-rule.ts); only the time of the
 * notice is stored. Call it after a commit that counted bounces or complaints, and periodically,
 * since a window clears with time.
 */
export async function notifySuspensionChange(
  ctx: Pick<Context, 'db' | 'makeId' | 'settings' | 'log' | 'wake'>,
  workspaceId: number,
): Promise<void> {
  const account = await accountStatus(ctx.db, workspaceId, { countsRunning: true })
  const isSuspended = account.exceeds !== null
  if (isSuspended === (account.suspendedAt !== null)) return
  const isAnnounced = await ctx.db.transaction(async (tx) => {
    const isFirst = isSuspended
      ? await markSuspended(tx, workspaceId)
      : await markResumed(tx, workspaceId)
    const texts = isSuspended ? suspendedTexts(account) : noticeTexts(({ resumed }) => resumed)
    if (isFirst)
      await notifyWorkspace(ctx, tx, {
        workspaceId,
        cause: isSuspended ? 'suspended' : 'resumed',
        texts,
      })
    return isFirst
  })
  if (isAnnounced) ctx.wake('transactional')
}

function suspendedTexts(account: AccountStatusRow): NoticeTexts {
  const { handOffs, bounces, complaints, exceeds, gmail } = account
  if (exceeds === 'gmail_spam_rate' && gmail !== null) return suspendedByGmailTexts(gmail)
  const percent = (language: Language, part: number): string =>
    sayPercent(language, share(part, handOffs))
  return noticeTexts(
    ({ suspended }) => suspended,
    (language) => ({
      ...{ handOffs: String(handOffs), bounces: String(bounces), complaints: String(complaints) },
      ...{ bounceRate: percent(language, bounces), complaintRate: percent(language, complaints) },
    }),
  )
}

function suspendedByGmailTexts({
  domain,
  day,
  spamRate,
  until,
}: NonNullable<AccountStatusRow['gmail']>): NoticeTexts {
  const date = (language: Language, at: string): string =>
    new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(at))
  return noticeTexts(
    ({ suspendedByGmail }) => suspendedByGmail,
    (language) => ({
      ...{ domain, day: date(language, day), until: date(language, until) },
      ...{ rate: sayPercent(language, spamRate), max: sayPercent(language, gmailSpamRateMax) },
    }),
  )
}

const sayPercent = (language: Language, part: number): string =>
  new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 2 }).format(part)
