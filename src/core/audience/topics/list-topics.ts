/** GET /audience/topics: lists the topics of a workspace. */
import { subscriptionTopics } from '../../../db/audience/topics.ts'
import type { Verb } from '../../verb.ts'
import { presentTopic } from './present-topic.ts'

export const listTopics: Verb<'listTopics'> = async (ctx) => ({
  body: {
    object: 'list',
    data: (await subscriptionTopics(ctx.db, ctx.workspaceId)).map(presentTopic),
  },
})
