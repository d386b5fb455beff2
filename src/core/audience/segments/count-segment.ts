/** POST /audience/segments/count: counts the contacts of a definition, and shows some. */
import { segmentLimits } from '../../../contract/workspace/segment-limits.ts'
import { countSelected } from '../../../db/audience/segments/segment-members.ts'
import type { SubscriberRow } from '../../../db/audience/subscribers.ts'
import type { Verb } from '../../verb.ts'
import { readDefinition } from './read-definition.ts'
import { readSelected } from './select-contacts.ts'

const { sampleMax, countSecondsMax: seconds } = segmentLimits

export const countSegment: Verb<'countSegment'> = async (ctx, { body }) => {
  const written = readDefinition(body.definition)
  const limits = { sampleMax, timeoutMs: seconds * 1_000 }
  const { contacts, subscribed, sample } = await readSelected(ctx, {
    ...{ written, seconds },
    read: (tx, selection) => countSelected(tx, { ...selection, ...limits }),
  })
  const counted = { contacts, subscribed, sample: sample.map(briefly) }
  return { body: { object: 'segment_count', ...counted } }
}

const briefly = ({ id, email, firstName, lastName, status }: SubscriberRow) => ({
  ...{ id, email, firstName, lastName, status },
})
