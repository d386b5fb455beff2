/** Follows whether a workspace may send: what changed since it was last told is told once, by a notice and in the log. */
import { markResumed, markSuspended, uncountedHandOffs, accountStatus } from '../../db/workspaces/account-status.ts'
import type { AccountStatusRow } from '../../db/workspaces/account-status.ts'
import type { Context } from '../context.ts'
import { notifyWorkspace } from '../notices/notify-workspace.ts'
import { resumedTexts, suspendedTexts } from './suspension-texts.ts'
import { sendingStatus } from './account-status.ts'

/**
 * Whether it is suspended is computed by whoever asks (`sendingStatus`); kept is only since when it was told so. Call it after a
 * commit that counted bounces or complaints, and now and then: a window clears by itself.
 */
export async function notifySuspensionChange(
  ctx: Pick<Context, 'db' | 'makeId' | 'settings' | 'log' | 'wake'>,
  workspaceId: number,
): Promise<void> {
  const standing = await accountStatusNow(ctx, workspaceId)
  const isSuspended = sendingStatus(standing).status === 'suspended'
  if (isSuspended === (standing.suspendedAt !== null)) return
  const isTold = await ctx.db.transaction(async (tx) => {
    const isFirst = isSuspended ? await markSuspended(tx, workspaceId) : await markResumed(tx, workspaceId)
    const texts = isSuspended ? suspendedTexts(standing) : resumedTexts
    if (isFirst) await notifyWorkspace(ctx, tx, workspaceId, { cause: isSuspended ? 'suspended' : 'resumed', texts })
    return isFirst
  })
  if (isTold) ctx.wake('transactional')
}

/** Bounces of a campaign on its way are counted at once, its hand-offs a moment later: both belong to one rate. */
export async function accountStatusNow({ db }: Pick<Context, 'db'>, workspaceId: number): Promise<AccountStatusRow> {
  const standing = await accountStatus(db, workspaceId)
  return { ...standing, handOffs: standing.handOffs + (await uncountedHandOffs(db, workspaceId)) }
}
