/** The values of the audience's inputs: parts as `segment:ID` and `tag:NAME`. */
import type { Got } from '../../../api/client.ts'

type Audience = Got<'getCampaignAudience'>

export interface AudienceValues {
  /** One segment, or tags. Empty means everybody subscribed. */
  to: string[]
  except: string[]
  /** Those who got a campaign within so many days are left out. Null means none of them. */
  days: number | null
}

export const segmentValue = (id: string): string => `segment:${id}`
export const tagValue = (name: string): string => `tag:${name}`
const nameOf = (value: string): string => value.slice(value.indexOf(':') + 1)
export const tagsAmong = (values: string[]): string[] =>
  values.filter((value) => !isSegment(value)).map(nameOf)
const isSegment = (value: string): boolean => value.startsWith('segment:')

export const valuesOf = ({ to, except }: Audience): AudienceValues => ({
  to: to === null ? [] : to.segment === null ? to.tags.map(tagValue) : [segmentValue(to.segment)],
  except: except.flatMap(({ segment, tag }) =>
    segment !== null ? [segmentValue(segment)] : tag !== null ? [tagValue(tag)] : [],
  ),
  days: except.find(({ within_days: days }) => days !== null)?.within_days ?? null,
})

export const audienceRequestOf = ({ to, except, days }: AudienceValues) => {
  const [first] = to
  const target =
    first === undefined
      ? null
      : isSegment(first)
        ? { segment: nameOf(first) }
        : { tags: to.map(nameOf) }
  return {
    to: target,
    except: [
      ...except.map((value) =>
        isSegment(value) ? { segment: nameOf(value) } : { tag: nameOf(value) },
      ),
      ...(days === null ? [] : [{ received: { within_days: days } }]),
    ],
  }
}

/** One segment takes the place of all else, and tags that of a segment. */
export function oneTarget(before: readonly string[], after: string[]): string[] {
  const added = after.find((value) => !before.includes(value))
  if (added === undefined) return after
  return isSegment(added) ? [added] : after.filter((value) => !isSegment(value))
}

const usualDays = [1, 3, 7, 14, 30, 90]

/** With the number that was chosen elsewhere. */
export const daysOffered = (chosen: number | null): number[] =>
  chosen === null || usualDays.includes(chosen)
    ? usualDays
    : [...usualDays, chosen].toSorted((a, b) => a - b)
