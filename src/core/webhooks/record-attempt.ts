/**
 * Records the results of attempts, many in one statement, and disables webhooks that failed for
 * days if the workspace chose that.
 */
import { recordAttempts, type AttemptRow } from '../../db/webhooks/webhook-claims.ts'
import { disableFailing } from '../../db/webhooks/webhooks.ts'
import { gatherByWorkspace } from '../../ground/gather.ts'
import type { Context } from '../context.ts'
import { persistently } from '../persistently.ts'
import { noticeTexts } from '../notices/notice-texts.ts'
import { notifyWorkspace } from '../notices/notify-workspace.ts'
import { failingSeconds, leaseSecondsOf } from './delivery-rules.ts'

export type RecordAttempt = (workspaceId: number, attempt: AttemptRow) => Promise<void>

type RecordContext = Pick<Context, 'db' | 'clock' | 'log' | 'makeId' | 'settings' | 'wake'>

export function createRecordAttempt(ctx: RecordContext): RecordAttempt {
  const record = gatherByWorkspace({
    groupMax: 256,
    atOnceMax: 2,
    work:
      (workspaceId) =>
      async (attempts: AttemptRow[]): Promise<void[]> => {
        // Until the lease is nearly over; after that, another worker takes the delivery.
        const withinMs = leaseSecondsOf(ctx.settings) * 900
        const { isLongFailing } = await persistently(ctx, withinMs, () =>
          recordAttempts(ctx.db, workspaceId, attempts, { failingSeconds }),
        )
        if (isLongFailing) await disable(ctx, workspaceId)
        return attempts.map(() => undefined)
      },
  })
  return record
}

/** Disables them and writes the notices in one transaction. */
async function disable(ctx: RecordContext, workspaceId: number): Promise<void> {
  const disabled = await ctx.db.transaction(async (tx) => {
    const rows = await disableFailing(tx, workspaceId, failingSeconds)
    for (const row of rows) {
      const texts = noticeTexts(({ webhookDisabled }) => webhookDisabled, row)
      await notifyWorkspace(ctx, tx, { workspaceId, cause: `webhook ${row.id}`, texts })
    }
    return rows
  })
  if (disabled.length > 0) ctx.wake('transactional')
}
