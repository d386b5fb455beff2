/** PATCH /person: changes the user's name and language. */
import { updateUser } from '../../db/users/users.ts'
import { readUserName } from '../identity/read-user-name.ts'
import { signedInUser } from '../signed-in-user.ts'
import type { Verb } from '../verb.ts'

export const updateMe: Verb<'updateMe'> = async (ctx, { body }) => {
  const name = body.name === undefined ? null : readUserName(body.name)
  const language = body.language ?? null
  return {
    body: await updateUser(ctx.db, signedInUser(ctx).id, {
      name,
      language,
      setsLanguage: body.language !== undefined,
    }),
  }
}
