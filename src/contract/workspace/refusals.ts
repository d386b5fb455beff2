/**
 * Defines how answers explain a refusal: the requirement that it names, and the record or step that
 * mends it.
 */
import { requirements } from '../requirements.ts'
import { DateTime, Text, Type, count, nullable, oneOf, type Static } from '../schema.ts'

const fields = {
  cause: Type.String({ description: 'Names the kind of refusal.', examples: ['gmail_spf'] }),
  provider: Text.orNull({
    description: 'Whose rule it is. Null: many servers use these words.',
    examples: ['Gmail'],
  }),
  requirement: oneOf(requirements),
}

/** The part that programs read. */
export const RefusalName = Type.Object(fields, {
  description: 'The cause that `error` names, or `response` while the recipient is tried again.',
})
export type RefusalName = Static<typeof RefusalName>

const explained = {
  ...fields,
  what: Type.String({ description: 'A sentence for people: what is refused, and why.' }),
  next: Type.String({ description: 'A sentence for people: what to do.' }),
  records: Type.Array(
    Type.Object({ type: Type.String(), name: Type.String(), value: Type.String() }),
    {
      description: 'The DNS records that it takes, as they should be.',
    },
  ),
  link: Text.orNull({ description: 'Where to ask for a removal, or to enrol.' }),
  source: Type.String({ description: 'The page that documents this refusal.' }),
}

export const RefusalExplained = Type.Object(explained, {
  description: 'The cause that a refusal names, and what mends it.',
})
export type RefusalExplained = Static<typeof RefusalExplained>

export const RefusalsExplained = Type.Object({
  object: Type.Literal('refusal'),
  ...explained,
  count: count('How many there were.'),
  last_at: nullable(DateTime),
})
export type RefusalsExplained = Static<typeof RefusalsExplained>
