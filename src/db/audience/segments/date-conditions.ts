/** Conditions over the dates of a contact: an absent date lies before and after no day. */
import type { ContactDate, DateCondition, DateTest, LastTest } from '../../../contract/segments.ts'
import { fragment, part, type Fragment } from '../../../database/client/fragment.ts'
import type { Compiling } from './compiling.ts'

export function dateCondition(compiling: Compiling, condition: DateCondition): Fragment {
  if ('created' in condition) return dateTest(compiling, 'created', condition.created)
  if ('subscribed' in condition) return dateTest(compiling, 'subscribed', condition.subscribed)
  if ('confirmed' in condition) return dateTest(compiling, 'confirmed', condition.confirmed)
  if ('consented' in condition) return dateTest(compiling, 'consented', condition.consented)
  return dateTest(compiling, 'unsubscribed', condition.unsubscribed)
}

function dateTest(compiling: Compiling, name: ContactDate, test: DateTest): Fragment {
  const value = dateOf(compiling, name)
  const { timeZone, sure } = compiling
  const beginOf = (day: Fragment): Fragment =>
    part`(${day})::timestamp at time zone ${timeZone}::text`
  if ('before' in test) return sure(part`${value} < ${beginOf(part`${test.before}::text::date`)}`)
  if ('after' in test)
    return sure(part`${value} >= ${beginOf(part`${test.after}::text::date + 1`)}`)
  return lastTest(compiling, value, test)
}

const dayMs = 86_400_000

/** Days of 24 hours, so that a change of the clocks neither adds nor takes an hour. */
export function lastTest({ at, sure }: Compiling, value: Fragment, test: LastTest): Fragment {
  if ('never' in test) return part`${value} is null`
  const since = new Date(at.getTime() - test.within_days * dayMs)
  return sure(part`${value} >= ${since}::timestamptz`)
}

function dateOf(compiling: Compiling, name: ContactDate): Fragment {
  switch (name) {
    case 'created':
      return fragment`s.created_at`
    case 'subscribed':
      // A contact whose consent somebody else vouched for is subscribed since it was added.
      return fragment`(case when s.status = 'subscribed' then coalesce(s.confirmed_at, s.created_at) end)`
    case 'confirmed':
      return fragment`s.confirmed_at`
    case 'unsubscribed':
      return fragment`s.unsubscribed_at`
    case 'consented':
      return consentedAt(compiling)
  }
}

const consentedAt = ({ workspaceId, joins }: Compiling): Fragment => {
  const list = joins.add(
    'consented',
    part`
      select e.subscriber_id, max(e.at) as at
      from consent_evidence e
      where e.workspace_id = ${workspaceId} and e.act in ('confirmed', 'registered')
      group by e.subscriber_id`,
  )
  return part`${list}.at`
}
