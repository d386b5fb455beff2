/** Keeps to the rate that the provider allows. */
import { returnPermits, takePermits } from '../../db/sending/provider-rates.ts'
import { saysSlower } from '../../mail/smtp-client/keeps-pace.ts'
import type { Outcome } from '../../providers/provider.ts'
import type { Context } from '../context.ts'

type Parts = Pick<Context, 'providers' | 'countingDb'>

/** How far ahead of the rate each lane may go: what campaigns leave of the second is there for transactional mail at any time. */
const aheadSeconds = { transactional: 1, campaign: 0.5 }

/** What is asked of the rate of the provider that a workspace's mail leaves by. */
export interface Asked {
  workspaceId: number
  wanted: number
  /** Default `transactional`. */
  lane?: 'transactional' | 'campaign'
}

/** How many of `wanted` messages may leave now. A provider without a rate takes them all. */
export function takeRate(ctx: Parts, { workspaceId, wanted, lane = 'transactional' }: Asked): Promise<number> {
  const rate = ctx.providers.rateOf(workspaceId)
  if (wanted <= 0 || rate === null) return Promise.resolve(wanted)
  return takePermits(ctx.countingDb, rate.key, rate.perSecond, wanted, aheadSeconds[lane])
}

/** Gives back what was taken for messages that did not leave: others may have their places. */
export async function giveBackRate(ctx: Parts, { workspaceId, places }: { workspaceId: number; places: number }): Promise<void> {
  const rate = ctx.providers.rateOf(workspaceId)
  if (places > 0 && rate !== null) await returnPermits(ctx.countingDb, rate.key, rate.perSecond, places)
}

/** Whether a deferral means "slower" and so concerns every mail of the provider: as it says itself, or as the reply says. */
export const isThrottle = (deferred: Pick<Extract<Outcome, { kind: 'deferred' }>, 'code' | 'response' | 'slower'>): boolean =>
  deferred.slower ?? saysSlower(deferred)
