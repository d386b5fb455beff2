/** Keeps to the rate that the provider allows, and slows down when it says so. */
import { lowerRate, takePlaces } from '../../db/provider-rates.ts'
import type { Outcome } from '../../providers/provider.ts'
import type { Context } from '../context.ts'

type Parts = Pick<Context, 'provider' | 'countingDb' | 'settings'>

/** How many of `wanted` messages may leave now. The capture mailbox has no rate. */
export function takeRate(ctx: Parts, wanted: number): Promise<number> {
  if (ctx.provider.name === 'local-capture') return Promise.resolve(wanted)
  return takePlaces(ctx.countingDb, ctx.provider.name, ctx.settings.ratePerSecond, wanted)
}

export const slowDown = (ctx: Parts): Promise<void> => lowerRate(ctx.countingDb, ctx.provider.name, ctx.settings.ratePerSecond)

/** A refusal that means "slower": 421, 4.7.x of rate limits, 4.3.2, and what servers say in words (RFC 5321 3.8, RFC 3463). */
export function isThrottle(outcome: Extract<Outcome, { kind: 'deferred' }>): boolean {
  if (outcome.code === null) return false
  return outcome.code === 421 || /\b4\.(3\.2|7\.28|7\.650)\b|too (many|fast|much)|rate|throttl/i.test(outcome.response)
}
