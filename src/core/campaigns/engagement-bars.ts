/** The bars of a campaign's results: first opens and clicks by hour, then by day. */
import type { CampaignResults } from '../../contract/workspace/campaign-results.ts'
import { countOf, type TallyRow } from '../../db/campaigns/campaign-tallies.ts'

const windows = Array.from({ length: 8 }, (_, at) => ({
  label: String(at),
  from: at * 6,
  hours: 6,
}))
const hoursThenDays = [
  ...Array.from({ length: 24 }, (_, hour) => ({ label: `h${hour}`, from: hour, hours: 1 })),
  ...Array.from({ length: 6 }, (_, at) => ({
    label: `d${at + 1}`,
    from: (at + 1) * 24,
    hours: 24,
  })),
]

/**
 * The first day by hour, then six days. The windows of six hours where a process of the previous
 * version counted an open or a click, and so left it out of the hours.
 */
export function engagementBars(tallies: TallyRow[]): CampaignResults['bars'] {
  const isWhole = isComplete(tallies, 'opened') && isComplete(tallies, 'clicked')
  const suffix = isWhole ? 'at' : 'in'
  return (isWhole ? hoursThenDays : windows).map(({ label, from, hours }) => ({
    ...{ from, hours },
    opened: countOf(tallies, `opened_${suffix}`, label),
    clicked: countOf(tallies, `clicked_${suffix}`, label),
  }))
}

/** Each first open and click has one bar, or came later than all of them. */
const isComplete = (tallies: TallyRow[], what: 'opened' | 'clicked'): boolean =>
  tallies
    .filter(({ measure }) => measure === `${what}_at`)
    .reduce((sum, { count }) => sum + count, 0) === countOf(tallies, what)
