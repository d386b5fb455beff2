/** GET /audience/tags: lists a workspace's tags that contain a text, ignoring case and accents. */
import { tagNamesOf } from '../../../db/audience/subscriber-fields.ts'
import { foldText } from '../../search-text.ts'
import type { Verb } from '../../verb.ts'

const max = 50

/** Tags beyond this number are not listed; filtering finds them. */
const scannedThrough = 10_000

export const listSubscriberTags: Verb<'listSubscriberTags'> = async (ctx, { query }) => {
  const needle = foldText(query.q ?? '')
  const all = await tagNamesOf(ctx.db, ctx.workspaceId, scannedThrough)
  const names = all.filter((name) => foldText(name).includes(needle))
  return { body: { object: 'list', data: names.slice(0, max), has_more: names.length > max } }
}
