/** Records what attempts came to, many in one statement, and disables what has failed for days where the workspace asked for that. */
import { passesLater } from '../../db/connect.ts'
import { recordAttempts } from '../../db/webhook-claims.ts'
import type { AttemptRow } from '../../db/webhook-claims.ts'
import { disableFailing } from '../../db/webhooks.ts'
import { gatherByWorkspace } from '../../gather.ts'
import type { Context } from '../context.ts'
import { failingSeconds, leaseSecondsOf } from './delivery-rules.ts'

export type RecordAttempt = (workspaceId: number, attempt: AttemptRow) => Promise<void>

export function createRecordAttempt(ctx: Pick<Context, 'db' | 'clock' | 'log' | 'settings'>): RecordAttempt {
  const record = gatherByWorkspace({
    groupMax: 256,
    atOnceMax: 2,
    work: async (workspaceId: number, attempts: AttemptRow[]): Promise<void[]> => {
      const { isLongFailing } = await persistently(ctx, () => recordAttempts(ctx.db, workspaceId, attempts, { failingSeconds }))
      if (isLongFailing) await disable(ctx, workspaceId)
      return attempts.map(() => undefined)
    },
  })
  return record
}

async function disable(ctx: Pick<Context, 'db' | 'log'>, workspaceId: number): Promise<void> {
  for (const { id, name, url } of await disableFailing(ctx.db, workspaceId, failingSeconds)) {
    ctx.log.warn({ workspaceId, webhookId: id, name, url }, 'A webhook failed for three days and was disabled')
  }
}

/** Tries again until the lease is nearly over: after that another worker has it. */
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
