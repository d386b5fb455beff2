/** Reads the results of the last days beside those of as many days before. */
import type { Period } from '../../contract/workspace/overview-period.ts'
import type { Database } from '../../database/client/database.ts'
import { statusChanges, type StatusChange } from '../../db/audience/status-tally.ts'
import { mailDays, type MailDayRow } from '../../db/workspaces/mail-days.ts'
import { addMailCounts } from './add-mail-counts.ts'

/** In a transaction of one moment. */
export async function readPeriod(tx: Database, workspaceId: number, days: number): Promise<Period> {
  const rows = await mailDays(tx, workspaceId, 2 * days)
  // One day more than the rows: the change of their first day has a beginning.
  const changes = await statusChanges(tx, workspaceId, 2 * days + 1)
  const subscribedOn = subscribedBy(changes)
  const [before, each] = [rows.slice(0, days), rows.slice(days)]
  const figuresOf = (part: MailDayRow[]) => {
    const [first, last] = [part[0]?.day ?? '', part.at(-1)?.day ?? '']
    const subscribed = subscribedOn(last)
    const change = subscribed - subscribedOn(dayBefore(first))
    return { ...addMailCounts(part), subscribed, subscribed_change: change }
  }
  return {
    days,
    time_zone: rows[0]?.zone ?? 'UTC',
    complete: rows.every(({ counts, isStored }) => counts !== null || !isStored),
    each: each.map(({ day, counts }) => ({ day, counts, subscribed: subscribedOn(day) })),
    totals: figuresOf(each),
    before: before.every(({ counts }) => counts !== null) ? figuresOf(before) : null,
  }
}

/** How many contacts were subscribed at the end of a day; changes without a day came before. */
function subscribedBy(changes: StatusChange[]): (day: string) => number {
  const counted = changes.filter(({ status }) => status === 'subscribed')
  return (day) =>
    Math.max(
      0,
      counted.reduce(
        (sum, change) => sum + (change.day === null || change.day <= day ? change.change : 0),
        0,
      ),
    )
}

const dayMs = 86_400_000

const dayBefore = (day: string): string =>
  new Date(Date.parse(day) - dayMs).toISOString().slice(0, 10)
