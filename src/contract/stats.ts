/** Defines the figures of a workspace's mails by day, as its overview counts them. */
import { Text, Type, count, named, nullable, oneOf } from './schema.ts'
import { timeText } from './text-rules.ts'
import { MailDay } from './workspace/overview.ts'

export const StatsQuery = Type.Object({
  from: Text.optional({
    ...timeText,
    description: 'Days from the UTC day of this time on (RFC 3339).',
  }),
  to: Text.optional({
    ...timeText,
    description: 'Days up to the UTC day of this time, that one included.',
  }),
  by: Type.Optional(oneOf(['day'], { default: 'day' })),
})

export const Stats = named('Stats', {
  object: Type.Literal('stats'),
  by: Type.Literal('day'),
  data: Type.Array(MailDay, { description: 'The oldest first, thirty at most.' }),
  totals: Type.Object(
    {
      delivered: count('Arrived.'),
      assumed: nullable(Type.Integer({ minimum: 0, description: 'Null: not known of some day.' })),
      waiting: count('Without feedback yet, including mail that has not left.'),
      bounced: count('The address does not exist.'),
      complained: count('Arrived, and reported as spam.'),
      failed: count('Given up or refused for a reason that is not the address.'),
    },
    { description: 'Of the days that are counted.' },
  ),
  complete: Type.Boolean({ description: 'False: a day is not counted yet; ask again.' }),
})
