/** Presents a topic to the members of its workspace. */
import type { SubscriptionTopic } from '../../../contract/topics.ts'
import type { SubscriptionTopicRow } from '../../../db/audience/topics.ts'

export const presentTopic = ({
  id,
  name,
  description,
  byDefault,
  createdAt,
}: SubscriptionTopicRow): SubscriptionTopic => ({
  object: 'topic',
  ...{ id, name, description },
  default_subscription: byDefault ? 'opt_in' : 'opt_out',
  created_at: createdAt.toISOString(),
})
