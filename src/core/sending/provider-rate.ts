/** Applies the rate that the provider allows. */
import { returnPermits, takePermits } from '../../db/sending/provider-rates.ts'
import { saysSlower } from '../../mail/smtp-client/keeps-pace.ts'
import type { Outcome } from '../../providers/provider.ts'
import type { Context } from '../context.ts'

type Parts = Pick<Context, 'providers' | 'countingDb'>

/**
 * How many seconds of the rate each lane may use in advance. Campaigns leave the rest to
 * transactional mail.
 */
const aheadSeconds = { transactional: 1, campaign: 0.5 }

/** A request for permits of the rate of the workspace's provider. */
export interface Asked {
  workspaceId: number
  wanted: number
  /** Default `transactional`. */
  lane?: 'transactional' | 'campaign'
}

/**
 * Returns how many of `wanted` messages may leave now: all of them when the provider has no rate.
 */
export function takeRate(
  ctx: Parts,
  { workspaceId, wanted, lane = 'transactional' }: Asked,
): Promise<number> {
  const rate = ctx.providers.rateOf(workspaceId)
  if (wanted <= 0 || rate === null) return Promise.resolve(wanted)
  return takePermits(ctx.countingDb, rate.key, rate.perSecond, wanted, aheadSeconds[lane])
}

/** Returns the permits of messages that did not leave, so that other messages can use them. */
export async function giveBackRate(
  ctx: Parts,
  { workspaceId, permits }: { workspaceId: number; permits: number },
): Promise<void> {
  const rate = ctx.providers.rateOf(workspaceId)
  if (permits > 0 && rate !== null)
    await returnPermits(ctx.countingDb, rate.key, rate.perSecond, permits)
}

/**
 * Whether a deferral asks for a slower pace, and so concerns all mail of the provider. The
 * provider's own flag decides, else its reply.
 */
export const isThrottle = (
  deferred: Pick<Extract<Outcome, { kind: 'deferred' }>, 'code' | 'response' | 'slower'>,
): boolean => deferred.slower ?? saysSlower(deferred)
