/** GET /audience/tags: lists a workspace's tags that contain a text, ignoring case and accents. */
import type { AnswerOf, InputOf } from '../../contract/operations.ts'
import { tagNamesOf } from '../../db/subscribers/subscriber-fields.ts'
import type { CallContext } from '../context.ts'
import { foldText } from '../search-text.ts'

const most = 50

/** Tags beyond this number are not listed; filtering finds them. */
const lookedThrough = 10_000

export async function listSubscriberTags(
  ctx: CallContext,
  { query }: InputOf<'listSubscriberTags'>,
): Promise<AnswerOf<'listSubscriberTags'>> {
  const wanted = foldText(query.q ?? '')
  const all = await tagNamesOf(ctx.db, ctx.workspaceId, lookedThrough)
  const names = all.filter((name) => foldText(name).includes(wanted))
  return { body: { object: 'list', data: names.slice(0, most), has_more: names.length > most } }
}
