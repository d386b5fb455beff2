/** Reads Google's Postmaster Tools four times a day, in one process of many. */
import { repeatEvery } from '../../ground/clock.ts'
import {
  recordPostmasterFailure,
  recordPostmasterRound,
  takePostmasterTurn,
} from '../../db/postmaster/postmaster-state.ts'
import type { Context } from '../context.ts'
import { pollPostmaster, type Polling } from './poll-postmaster.ts'
import type { PostmasterAccount } from './postmaster-api.ts'

/** Google publishes a day at no fixed hour. */
const everySeconds = 6 * 3_600
/**
 * A failure, or a process that was lost, is followed by another try after this long: longer than a
 * round takes.
 */
const retrySeconds = 3_600
/** How often a process looks whether a round is due. */
const pollEveryMs = 60_000

type Parts = Polling & Pick<Context, 'db' | 'clock'>

/** `db`: of the global tables. */
export function startPostmaster(ctx: Parts, account: PostmasterAccount): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const { signal } = stopping
  const ended = repeatEvery(ctx.clock, { everyMs: pollEveryMs, stopping: signal }, () =>
    pollWhenDue(ctx, { account, signal }).catch((error: unknown) =>
      ctx.log.error({ err: error }, 'Postmaster Tools were not read; the next look tries again'),
    ),
  )
  return {
    stop() {
      stopping.abort(new Error('the service stops'))
      return ended
    },
  }
}

export async function pollWhenDue(
  ctx: Parts,
  polled: { account: PostmasterAccount; signal: AbortSignal },
): Promise<void> {
  if (!(await takePostmasterTurn(ctx.db, { everySeconds, retrySeconds }))) return
  const end = await pollPostmaster(ctx, polled)
  if (end.kind === 'read') await recordPostmasterRound(ctx.db, end.domains)
  else if (!polled.signal.aborted) {
    await recordPostmasterFailure(ctx.db, end.why)
    ctx.log.warn(
      { why: end.why },
      'Postmaster Tools could not be read; they are asked again within the hour',
    )
  }
}
