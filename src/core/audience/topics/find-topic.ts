/** Finds a topic of a workspace by its identifier. */
import { existing } from '../../../contract/errors.ts'
import { topicById, type SubscriptionTopicRow } from '../../../db/audience/topics.ts'
import { isId } from '../../../ground/ids.ts'
import type { CallContext } from '../../context.ts'

/** Throws `not_found` for a malformed or unknown identifier, or one of another workspace. */
export const findTopic = async (
  { db, workspaceId }: Pick<CallContext, 'db' | 'workspaceId'>,
  id: string,
): Promise<SubscriptionTopicRow> =>
  existing(isId(id) ? await topicById(db, workspaceId, id) : null, { id })
