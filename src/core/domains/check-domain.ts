/** POST /domains/{name}/check: queries DNS now and applies the result. */
import { existing } from '../../contract/errors.ts'
import { wasScannedWithin } from '../../db/domains/domains.ts'
import { isByKey } from '../context.ts'
import { answerDomain } from './answer-domain.ts'
import { lookUpInTurn } from './look-up-in-turn.ts'
import { openDomain } from './open-domain.ts'
import { domainOfPath } from './read-domain-name.ts'
import { presentDomain } from './present-domain.ts'
import type { Verb } from '../verb.ts'

/**
 * The minimum interval between DNS queries, in seconds, for several open pages and impatient users.
 */
const freshSeconds = 3
/** For programs, which ask again and again. */
const freshSecondsOfKey = 30

export const checkDomain: Verb<'checkDomain'> = async (ctx, { params }) => {
  const { workspaceId } = ctx
  const name = domainOfPath(params.name)
  const before = existing(await presentDomain(ctx, { workspaceId, name }))
  // A domain that was added before keys existed gets its first pair.
  if (before.records.every(({ key }) => key === null))
    await openDomain(ctx, { workspaceId, name, returnPathHost: null, trackingHost: null })
  const isFresh = await wasScannedWithin(ctx.db, workspaceId, {
    name,
    seconds: isByKey(ctx) ? freshSecondsOfKey : freshSeconds,
  })
  const domain = existing(
    await (isFresh ? presentDomain : lookUpInTurn)(ctx, { workspaceId, name }),
  )
  return answerDomain(ctx, domain)
}
