/** The filter and the place of a page of `GET /emails`, as conditions of SQL. */
import { fragment, part, type Fragment } from '../../database/client/fragment.ts'
import type { LogPosition } from './message-log.ts'

export interface MessageFilter {
  status: string | null
  /** Lower-cased address. */
  recipient: string | null
  tagName: string | null
  tagValue: string | null
  /** The pieces of the tag in the search index; empty without a tag. */
  tagGrams: readonly number[]
  /** RFC 3339. */
  since: string | null
  until: string | null
}

/** `after` is given for a page upwards: the entries just above it. */
export interface AskedMessages {
  max: number
  before: LogPosition | null
  after: LogPosition | null
}

/**
 * By how much the time in an identifier, of the process, and that of the message, of the database,
 * may differ. `facteur doctor` warns from five seconds on.
 */
export const clocksDiffer = fragment`interval '10 minutes'`

/** Before every identifier. */
const firstId = '00000000-0000-0000-0000-000000000000'

export interface MessageConditions {
  /** Of a message `m`: it is of this part of the list. */
  between: Fragment
  /** Of a message `m`: it has the tag. */
  tagged: Fragment
  /**
   * Of a recipient `r`, by the time in its message's identifier: the message may be of this part of
   * the list.
   */
  mayBeBetween: Fragment
}

export function conditionsOf(
  { tagName, tagValue, ...filter }: MessageFilter,
  page: AskedMessages,
): MessageConditions {
  const from = { at: page.after?.at ?? '-infinity', id: page.after?.id ?? firstId }
  const to = {
    at: page.before?.at ?? 'infinity',
    id: page.before?.id ?? 'ffffffff-ffff-ffff-ffff-ffffffffffff',
  }
  const since = filter.since ?? '-infinity'
  const until = filter.until ?? 'infinity'
  const tag = tagName === null || tagValue === null ? null : JSON.stringify({ [tagName]: tagValue })
  return {
    // One bound at each end: of two, an index scan may begin at the wider one, and pass all
    // messages in between.
    between: part`(m.created_at, m.id) > (greatest(${from.at}::timestamptz, ${since}::timestamptz),
             case when ${since}::timestamptz > ${from.at}::timestamptz then ${firstId}::uuid
               else ${from.id}::uuid end)
           and (m.created_at, m.id) < (least(${to.at}::timestamptz, ${until}::timestamptz),
             case when ${until}::timestamptz <= ${to.at}::timestamptz then ${firstId}::uuid
               else ${to.id}::uuid end)`,
    tagged: part`(${tagName}::text is null or coalesce(
            case when ${tag}::jsonb is null then m.tags ? ${tagName} else m.tags @> ${tag}::jsonb end,
            false))`,
    mayBeBetween: part`r.message_id >= facteur_events_from(
            greatest(${from.at}::timestamptz, ${since}::timestamptz, '1970-01-02') - ${clocksDiffer})
          and r.message_id < facteur_events_from(
            least(${to.at}::timestamptz, ${until}::timestamptz, '9999-01-01') + ${clocksDiffer})`,
  }
}
