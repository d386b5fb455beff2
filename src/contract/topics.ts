/**
 * Defines topics: what a contact may leave without leaving everything. Campaigns for a topic leave
 * out who left it.
 */
import { limits } from './limits.ts'
import { created, ofMembers, operationsOf } from './operations-of.ts'
import { DateTime, Text, Type, eachOptional, oneOf, wholeListOf, type Static } from './schema.ts'
import { oneLine } from './text-rules.ts'

/** The words are those of Resend. */
export const defaultSubscriptions = ['opt_in', 'opt_out'] as const

const texts = {
  name: Type.String({
    ...{ minLength: 1, maxLength: limits.topicNameMax, ...oneLine },
    description: 'As contacts read it on their page; no two topics have the same.',
    examples: ['Product news'],
  }),
  description: Text.orNull({
    maxLength: limits.topicDescriptionMax,
    description: 'A sentence for contacts, below the name.',
    examples: ['What is new, once a month.'],
  }),
}
const defaultSubscription = oneOf(defaultSubscriptions, {
  description:
    'Whether a contact who never chose gets its campaigns: `opt_in` until they leave it, `opt_out` once they join it. It never changes.',
})

export const SubscriptionTopic = Type.Object({
  object: Type.Literal('topic'),
  id: Type.String({ format: 'uuid' }),
  ...texts,
  default_subscription: defaultSubscription,
  created_at: DateTime,
})
export type SubscriptionTopic = Static<typeof SubscriptionTopic>

/** A topic as one contact chose it. */
export const ChosenTopic = Type.Object({
  id: Type.String({ format: 'uuid' }),
  name: Type.String({ examples: ['Product news'] }),
  subscribed: Type.Boolean({
    description: 'By their choice or, where they never chose, by the default of the topic.',
    examples: [true],
  }),
})

const topics = operationsOf({
  ...ofMembers,
  tag: 'Subscribers',
  params: Type.Object({ id: Type.String({ format: 'uuid', description: 'Of the topic.' }) }),
})

export const topicOperations = {
  listTopics: topics.get('/api/v1/audience/topics', wholeListOf(SubscriptionTopic), {
    summary: 'List topics',
    description: 'All of the workspace, in the order in which they were made.',
  }),
  createTopic: topics.post('/api/v1/audience/topics', created(SubscriptionTopic), {
    summary: 'Make a topic',
    description:
      'Contacts see it on the page behind the unsubscribe link from then on. 409 `topic_exists` where another has the name.',
    body: Type.Object({
      name: texts.name,
      description: Type.Optional(texts.description),
      default_subscription: Type.Optional(defaultSubscription),
    }),
    errors: ['conflict'],
  }),
  updateTopic: topics.patch('/api/v1/audience/topics/{id}', SubscriptionTopic, {
    summary: 'Rename or describe a topic',
    description: 'What contacts chose stays. 409 `topic_exists` where another has the name.',
    body: Type.Object(eachOptional(texts)),
    errors: ['conflict'],
  }),
  deleteTopic: topics.delete('/api/v1/audience/topics/{id}', SubscriptionTopic, {
    summary: 'Delete a topic',
    description:
      'With the choices of contacts; their evidence stays. 409 `topic_in_use` while a draft, a campaign not yet sent or a form is for it.',
    errors: ['conflict'],
  }),
}
