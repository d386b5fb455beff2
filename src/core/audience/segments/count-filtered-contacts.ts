/** GET /audience/count: counts the contacts of a filter, up to a limit. */
import { audienceLimits } from '../../../contract/workspace/audience-limits.ts'
import { segmentLimits } from '../../../contract/workspace/segment-limits.ts'
import { countSought } from '../../../db/audience/segments/audience-pages.ts'
import type { Verb } from '../../verb.ts'
import { seek } from './seek.ts'

const { countedMax } = audienceLimits
const { countSecondsMax: seconds } = segmentLimits

export const countFilteredContacts: Verb<'countFilteredContacts'> = async (ctx, { query }) => {
  const limits = { max: countedMax + 1, timeoutMs: seconds * 1_000 }
  const matching = await seek(ctx, {
    ...{ filter: query, seconds },
    read: (tx, sought) => countSought(tx, sought, limits),
  })
  const body = { count: Math.min(matching, countedMax), more: matching > countedMax }
  return { body: { object: 'contact_count', ...body } }
}
