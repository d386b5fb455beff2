/** A session as its person reads it. */
import type { AnswerOf } from '../../contract/operations.ts'
import type { PersonRow } from '../../db/people.ts'

export const showSession = (id: string, { id: personId, email, name, language }: PersonRow): AnswerOf<'getSession'>['body'] => ({
  ...{ object: 'session', id },
  person: { id: personId, email, name, language },
})
