/** Keeps to the rate that the provider allows, and slows down when it says so. */
import { givePlacesBack, lowerRate, takePlaces } from '../../db/provider-rates.ts'
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
  return takePlaces(ctx.countingDb, rate.key, rate.perSecond, wanted, aheadSeconds[lane])
}

/** Gives back what was taken for messages that did not leave: others may have their places. */
export async function giveBackRate(ctx: Parts, { workspaceId, places }: { workspaceId: number; places: number }): Promise<void> {
  const rate = ctx.providers.rateOf(workspaceId)
  if (places > 0 && rate !== null) await givePlacesBack(ctx.countingDb, rate.key, rate.perSecond, places)
}

export async function slowDown(ctx: Parts, workspaceId: number): Promise<void> {
  const rate = ctx.providers.rateOf(workspaceId)
  if (rate !== null) await lowerRate(ctx.countingDb, rate.key, rate.perSecond)
}

/**
 * Whether a temporary refusal means "slower" and so concerns every mail: 421 (RFC 5321 3.8), the codes of overload and of rate
 * limits, or what servers say in words; unless the provider says so itself. Never one about the address or the mailbox of its recipient (RFC 3463 3.2, 3.3).
 */
export function isThrottle({
  code,
  response,
  slower,
}: Pick<Extract<Outcome, { kind: 'deferred' }>, 'code' | 'response' | 'slower'>): boolean {
  if (slower !== undefined) return slower
  if (code === null) return false
  if (code === 421) return true
  const enhanced = /^\d{3}[ -](4\.\d{1,3}\.\d{1,3})\b/.exec(response)?.[1] ?? ''
  if (/^4\.[12]\./.test(enhanced)) return false
  // An echoed address may hold any word.
  return paceCodes.has(enhanced) || speaksOfPace.test(response.replaceAll(/<[^>]*>|\S*@\S*/g, ' '))
}

/** RFC 3463 3.4: the system takes no messages now; Gmail's rate limits of an address and of a sender without authentication. */
const paceCodes = new Set(['4.3.2', '4.7.28', '4.7.650'])

const speaksOfPace = /\btoo (?:many|fast|much)\b|\brates?\b|\brate-?limit|\bthrottl(?:e|ed|ing)\b/i
