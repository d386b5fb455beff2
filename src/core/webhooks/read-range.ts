/** Parses the events that a replay is about. */
import type { EventRange } from '../../db/webhooks/webhook-journal.ts'
import { readTime, rfc3339 } from '../input/read-time.ts'

/** No event has a smaller identifier. */
export const beforeAll = '00000000-0000-0000-0000-000000000000'

interface AskedRange {
  from: string
  to?: string
  only?: 'undelivered' | 'all'
}

/** Throws `validation_error`. */
export function readRange({ from, to, only }: AskedRange): Pick<EventRange, 'from' | 'to' | 'all'> {
  return {
    from: rfc3339(readTime(from, 'from')),
    to: to === undefined ? null : rfc3339(readTime(to, 'to')),
    all: only === 'all',
  }
}
