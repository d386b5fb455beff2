/** GET /event-kinds: the event types for webhooks, each with an example body. */
import { eventBody, eventTypes } from '../../contract/events.ts'
import { exampleOf, plainSchema } from '../../contract/json-schema.ts'
import type { AnswerOf } from '../../contract/operations.ts'

export function listEventKinds(): Promise<AnswerOf<'listEventKinds'>> {
  const kinds = eventTypes.map((type) => ({
    type,
    example: JSON.stringify(exampleOf(plainSchema(eventBody(type))), null, 2),
  }))
  return Promise.resolve({ body: { object: 'event_kinds', kinds } })
}
