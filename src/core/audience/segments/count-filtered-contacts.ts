/** GET /audience/count: counts the contacts of a filter; those of a text up to a limit. */
import { audienceLimits } from '../../../contract/workspace/audience-limits.ts'
import { segmentLimits } from '../../../contract/workspace/segment-limits.ts'
import { countSought } from '../../../db/audience/segments/audience-pages.ts'
import type { Verb } from '../../verb.ts'
import { seek } from './seek.ts'

const { countedMax } = audienceLimits
const { countSecondsMax: seconds } = segmentLimits

export const countFilteredContacts: Verb<'countFilteredContacts'> = async (ctx, { query }) => {
  const max = (query.q ?? '') === '' ? null : countedMax
  const limits = { max: max === null ? null : max + 1, timeoutMs: seconds * 1_000 }
  const matching = await seek(ctx, {
    ...{ filter: query, seconds },
    read: (tx, sought) => countSought(tx, sought, limits),
  })
  const more = max !== null && matching > max
  const body = { count: more ? max : matching, more }
  return { body: { object: 'contact_count', ...body } }
}
