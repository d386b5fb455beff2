/** PATCH /person: the person's name and language. */
import type { AnswerOf, InputOf } from '../../contract/operations.ts'
import { updatePerson } from '../../db/people.ts'
import type { CallContext } from '../context.ts'
import { readPersonName } from './read-person-name.ts'
import { theirs } from './theirs.ts'

export async function updateMe(ctx: CallContext, { body }: InputOf<'updateMe'>): Promise<AnswerOf<'updateMe'>> {
  const name = body.name === undefined ? null : readPersonName(body.name)
  const language = body.language ?? null
  return { body: await updatePerson(ctx.db, theirs(ctx).id, { name, language, setsLanguage: body.language !== undefined }) }
}
