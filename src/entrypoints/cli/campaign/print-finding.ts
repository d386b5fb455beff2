/**
 * Prints findings of preflight as sentences for an operator, each with its next step where there is
 * one.
 */
import type {
  CheckName,
  Finding,
  FindingReason,
} from '../../../core/campaigns/preflight/finding.ts'
import { fill } from '../../../ground/texts/texts.ts'
import { shownNumber } from '../result.ts'
import texts from './finding-sentences.json' with { type: 'json' }

interface Sentences {
  message: string
  next?: string
}

/** A reason or a check without its sentence does not compile. */
const reasons: Record<Exclude<FindingReason, 'good'>, Sentences> = texts.reasons
const good: Record<CheckName, string> = texts.good
const whyNotAsked: Record<string, string> = texts.linkRefused

/** `about`: the workspace's slug and the campaign's id, for the commands that are next. */
export function printFinding(
  { check, reason, details }: Finding,
  about: { slug: string; id: string },
): Sentences {
  const { message, next }: Sentences =
    reason === 'good' ? { message: good[check] } : reasons[reason]
  const shown = Object.entries({ ...about, ...details }).map(([name, value]) => [
    name,
    typeof value === 'number'
      ? name.startsWith('rate')
        ? `${(value * 100).toFixed(2)} %`
        : shownNumber(value)
      : reason === 'link_refused' && name === 'why'
        ? (whyNotAsked[value] ?? value)
        : value,
  ])
  const values = Object.fromEntries(shown) as Record<string, string>
  return { message: fill(message, values), ...(next !== undefined && { next: fill(next, values) }) }
}
