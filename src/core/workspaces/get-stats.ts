/** GET /stats: the figures of the workspace's mails by day, with their totals. */
import { readTime } from '../input/read-time.ts'
import type { Verb } from '../verb.ts'
import { addMailCounts } from './add-mail-counts.ts'
import { readMailDays } from './read-mail-days.ts'

const daysMax = 30

/** Throws `validation_error`. */
export const getStats: Verb<'getStats'> = async (ctx, { query }) => {
  const from = query.from === undefined ? null : readTime(query.from, 'from')
  const to = query.to === undefined ? null : readTime(query.to, 'to')
  const all = await readMailDays(ctx, daysMax)
  const dayOf = inZone(all[0]?.zone ?? 'UTC')
  const days = all.filter(
    ({ day }) => (from === null || day >= dayOf(from)) && (to === null || day <= dayOf(to)),
  )
  return {
    body: {
      ...({ object: 'stats', by: 'day' } as const),
      data: days.map(({ day, counts }) => ({ day, counts })),
      totals: addMailCounts(days),
      complete: days.every(({ counts }) => counts !== null),
    },
  }
}

/** `2026-11-21`, as Sweden writes days. */
function inZone(timeZone: string): (ms: number) => string {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' })
  return (ms) => format.format(ms)
}
