/** GET /stats: the figures of the workspace's mails by day, with their totals. */
import type { MailCounts, MailDayRow } from '../../db/workspaces/overview.ts'
import { readTime } from '../input/read-time.ts'
import type { Verb } from '../verb.ts'
import { readMailDays } from './read-mail-days.ts'

/** Throws `validation_error`. */
export const getStats: Verb<'getStats'> = async (ctx, { query }) => {
  const from = query.from === undefined ? '' : dayOf(readTime(query.from, 'from'))
  const to = query.to === undefined ? null : dayOf(readTime(query.to, 'to'))
  const all = await readMailDays(ctx)
  const days = all.filter(({ day }) => day >= from && (to === null || day <= to))
  return {
    body: {
      ...({ object: 'stats', by: 'day' } as const),
      data: days.map(({ day, counts }) => ({ day, counts })),
      totals: days.reduce(add, nothing),
      complete: days.every(({ counts }) => counts !== null),
    },
  }
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

const nothing: MailCounts = {
  ...{ delivered: 0, assumed: 0, waiting: 0, bounced: 0, complained: 0, failed: 0 },
  ...{ sent: 0, opened: 0, opened_by_relay: 0, clicked: 0 },
}

const add = (sum: MailCounts, { counts }: MailDayRow): MailCounts =>
  counts === null
    ? sum
    : {
        delivered: sum.delivered + counts.delivered,
        assumed: addKnown(sum.assumed, counts.assumed),
        waiting: sum.waiting + counts.waiting,
        bounced: sum.bounced + counts.bounced,
        complained: sum.complained + counts.complained,
        failed: sum.failed + counts.failed,
        sent: addKnown(sum.sent, counts.sent),
        opened: addKnown(sum.opened, counts.opened),
        opened_by_relay: addKnown(sum.opened_by_relay, counts.opened_by_relay),
        clicked: addKnown(sum.clicked, counts.clicked),
      }

const addKnown = (sum: number | null, part: number | null): number | null =>
  sum === null || part === null ? null : sum + part
