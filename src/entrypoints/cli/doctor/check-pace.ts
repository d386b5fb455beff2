/** Checks whether a provider has just asked for a slower pace, and how long it throttles mail. */
import type { Database } from '../../../database/client/database.ts'
import { throttledProviders, type ThrottledProvider } from '../../../db/sending/provider-rates.ts'
import { passed, warned, type Check } from './check.ts'

export async function checkPace(db: Database): Promise<Check> {
  const throttled = await throttledProviders(db, null)
  if (throttled.length === 0)
    return passed('pace', 'no provider asked for a slower pace in the last minute')
  return warned(
    'pace',
    throttled.map(describe).join('; '),
    'Wait: the former pace comes back by itself. If this repeats, set a lower rate (FACTEUR_RATE_PER_SECOND), or ask the provider for a higher one.',
  )
}

function describe({
  provider,
  perSecond,
  formerPerSecond,
  since,
  until,
}: ThrottledProvider): string {
  const requested = `${provider} has asked for a slower pace since ${clockTime(since)} UTC`
  if (perSecond === null || formerPerSecond === null)
    return `${requested}; the pace is not measured yet, and nothing is held back`
  const pace = `${round(perSecond)} mails a second instead of ${round(formerPerSecond)}`
  return `${requested}: ${pace}, and the former pace again at ${clockTime(until)}`
}

const clockTime = (at: Date): string => at.toISOString().slice(11, 19)

const round = (pace: number): number => Math.round(pace * 10) / 10
