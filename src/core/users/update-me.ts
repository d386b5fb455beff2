/** PATCH /person: changes the user's name and language. */
import type { AnswerOf, InputOf } from '../../contract/operations.ts'
import { updateUser } from '../../db/users/users.ts'
import type { CallContext } from '../context.ts'
import { readUserName } from '../identity/read-user-name.ts'
import { signedInUser } from '../signed-in-user.ts'

export async function updateMe(ctx: CallContext, { body }: InputOf<'updateMe'>): Promise<AnswerOf<'updateMe'>> {
  const name = body.name === undefined ? null : readUserName(body.name)
  const language = body.language ?? null
  return { body: await updateUser(ctx.db, signedInUser(ctx).id, { name, language, setsLanguage: body.language !== undefined }) }
}
