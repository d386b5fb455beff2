/** Adds up the mails of days by what became of them. */
import type { MailCounts, MailDayRow } from '../../db/workspaces/mail-days.ts'

/** Of the days that are counted. A number is null where one of them does not have it. */
export const addMailCounts = (days: readonly Pick<MailDayRow, 'counts'>[]): MailCounts =>
  days.reduce((sum, { counts }) => (counts === null ? sum : add(sum, counts)), nothing)

const nothing: MailCounts = {
  ...{ delivered: 0, assumed: 0, waiting: 0, bounced: 0, complained: 0, failed: 0 },
  ...{ sent: 0, opened: 0, opened_by_relay: 0, clicked: 0 },
  ...{ opens_tracked: 0, clicks_tracked: 0 },
}

const add = (sum: MailCounts, part: MailCounts): MailCounts => ({
  delivered: sum.delivered + part.delivered,
  assumed: addKnown(sum.assumed, part.assumed),
  waiting: sum.waiting + part.waiting,
  bounced: sum.bounced + part.bounced,
  complained: sum.complained + part.complained,
  failed: sum.failed + part.failed,
  sent: addKnown(sum.sent, part.sent),
  opened: addKnown(sum.opened, part.opened),
  opened_by_relay: addKnown(sum.opened_by_relay, part.opened_by_relay),
  clicked: addKnown(sum.clicked, part.clicked),
  opens_tracked: addKnown(sum.opens_tracked, part.opens_tracked),
  clicks_tracked: addKnown(sum.clicks_tracked, part.clicks_tracked),
})

const addKnown = (sum: number | null, part: number | null): number | null =>
  sum === null || part === null ? null : sum + part
