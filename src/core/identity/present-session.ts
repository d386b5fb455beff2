/** Presents a session to its user. */
import type { AnswerOf } from '../../contract/operations.ts'
import type { UserRow } from '../../db/users/users.ts'

export const presentSession = (
  id: string,
  { id: userId, email, name, language }: UserRow,
): AnswerOf<'getSession'>['body'] => ({
  ...{ object: 'session', id },
  person: { id: userId, email, name, language },
})
