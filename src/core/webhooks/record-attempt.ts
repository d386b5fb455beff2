/**
 * Records the results of attempts, many in one statement, and disables webhooks that failed for days if the workspace chose
 * that.
 */
import { passesLater } from '../../db/connection/connect.ts'
import { recordAttempts, type AttemptRow } from '../../db/webhooks/webhook-claims.ts'
import { disableFailing } from '../../db/webhooks/webhooks.ts'
import { gatherByWorkspace } from '../../gather.ts'
import type { Context } from '../context.ts'
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
        const { isLongFailing } = await persistently(ctx, () => recordAttempts(ctx.db, workspaceId, attempts, { failingSeconds }))
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

/** Retries until the lease is nearly over; after that, another worker takes the delivery. */
async function persistently<T>(ctx: Pick<Context, 'clock' | 'settings'>, work: () => Promise<T>): Promise<T> {
  const endsAtMs = ctx.clock.monotonicMs() + leaseSecondsOf(ctx.settings) * 900
  for (let waitMs = 50; ; waitMs = Math.min(waitMs * 2, 2_000)) {
    try {
      return await work()
    } catch (error) {
      if (!passesLater(error) || ctx.clock.monotonicMs() + waitMs > endsAtMs) throw error
      await ctx.clock.sleep(waitMs)
    }
  }
}
