/** Defines the figures of a workspace's mails by day, as its overview counts them. */
import { Text, Type, named, oneOf } from './schema.ts'
import { timeText } from './text-rules.ts'
import { MailDay, mailCounts } from './workspace/overview-period.ts'

export const StatsQuery = Type.Object({
  from: Text.optional({
    ...timeText,
    description: 'Days from the day of this time on (RFC 3339), in the workspace’s time zone.',
  }),
  to: Text.optional({
    ...timeText,
    description: 'Days up to the day of this time, that one included.',
  }),
  by: Type.Optional(oneOf(['day'], { default: 'day' })),
})

export const Stats = named('Stats', {
  object: Type.Literal('stats'),
  by: Type.Literal('day'),
  data: Type.Array(MailDay, { description: 'The oldest first, thirty at most.' }),
  totals: Type.Object(mailCounts, {
    description: 'Of the days that are counted; null where one of them is.',
  }),
  complete: Type.Boolean({ description: 'False: a day is not counted yet; ask again.' }),
})
