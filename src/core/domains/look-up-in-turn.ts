/**
 * Looks up a domain's records for a caller: calls for the same domain share one look-up, and a
 * workspace has few at once, so that no caller makes us flood DNS.
 */
import { fewAtOnce } from '../few-at-once.ts'
import { lookUpDomain, type Checking } from './look-up-domain.ts'
import type { PresentedDomain } from './present-domain.ts'

const atOnceMax = 2

/** Of each workspace that has some: the look-ups on their way, by domain. */
const running = new Map<number, Turns>()

interface Turns {
  inTurn: ReturnType<typeof fewAtOnce>
  lookUps: Map<string, Promise<PresentedDomain | null>>
}

/** Returns null when the workspace has no such domain. */
export async function lookUpInTurn(
  ctx: Checking,
  of: { workspaceId: number; name: string },
): Promise<PresentedDomain | null> {
  const { workspaceId, name } = of
  const turns = running.get(workspaceId) ?? { inTurn: fewAtOnce(atOnceMax), lookUps: new Map() }
  running.set(workspaceId, turns)
  const { inTurn, lookUps } = turns
  const shared = lookUps.get(name)
  if (shared) return shared
  const mine = inTurn(() => lookUpDomain(ctx, of)).finally(() => {
    lookUps.delete(name)
    if (lookUps.size === 0) running.delete(workspaceId)
  })
  lookUps.set(name, mine)
  return mine
}
