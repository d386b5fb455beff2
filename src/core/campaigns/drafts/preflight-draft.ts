/**
 * POST /campaigns/{id}/preflight: checks a draft before it is sent, finished or not, and lists what
 * to mend.
 */
import { ApiError } from '../../../contract/errors.ts'
import { isByKey } from '../../context.ts'
import { refuseState } from '../find-campaign.ts'
import { preflightCampaign } from '../preflight-campaign.ts'
import { findDraft, presentDraft } from './typed-draft.ts'
import type { Verb } from '../../verb.ts'

/** How long all links together may take, in milliseconds. */
const linksWaitMs = 60_000
/** When a caller that was refused may try again, in seconds. */
const retryAfter = 60

export const preflightDraft: Verb<'preflightDraft'> = async (ctx, { params: { id } }) => {
  const row = await findDraft(ctx, { workspaceId: ctx.workspaceId, id })
  // Only users read an unfinished draft.
  if (row.unfinished && isByKey(ctx)) await refuseState(ctx, { workspaceId: ctx.workspaceId, id })
  const { version, problems } = await presentDraft(ctx, { workspaceId: ctx.workspaceId, row })
  const left = ctx.left?.()
  const captures = ctx.providers.of(ctx.workspaceId).captures
  const { findings, audience } = await inTurn(ctx.workspaceId, () => {
    const late = AbortSignal.timeout(linksWaitMs)
    // No link is asked for a caller who has gone.
    const signal = left ? AbortSignal.any([late, left]) : late
    return preflightCampaign({ ...ctx, signal }, { workspaceId: ctx.workspaceId, id, captures })
  })
  return { body: { object: 'campaign_preflight', id, version, problems, findings, audience } }
}

/** Of each workspace that has one running: its latest check, and how many have not ended. */
const queues = new Map<number, { last: Promise<unknown>; checks: number }>()
/** Beside the one that runs: each may take as long as all links together. */
const waitingMax = 2

/**
 * Runs one check per workspace at a time: a waiting check finds the links answered
 * (preflight/check-links.ts). Throws `rate_limit_exceeded` where too many wait already.
 */
async function inTurn<T>(workspaceId: number, check: () => Promise<T>): Promise<T> {
  const queue = queues.get(workspaceId) ?? { last: Promise.resolve(), checks: 0 }
  if (queue.checks > waitingMax)
    throw new ApiError(
      'rate_limit_exceeded',
      { reason: 'preflights', limit: waitingMax, retry_after: retryAfter },
      retryAfter,
    )
  queues.set(workspaceId, queue)
  queue.checks++
  const mine = queue.last.then(check)
  queue.last = mine.catch(() => undefined)
  try {
    return await mine
  } finally {
    queue.checks--
    if (queue.checks === 0) queues.delete(workspaceId)
  }
}
