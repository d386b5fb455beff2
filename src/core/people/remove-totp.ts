/** DELETE /person/totp: no codes of an app are asked for any more. */
import type { AnswerOf } from '../../contract/operations.ts'
import { dropTotp } from '../../db/people.ts'
import type { CallContext } from '../context.ts'
import { theirs } from './theirs.ts'

export async function removeTotp(ctx: CallContext): Promise<AnswerOf<'removeTotp'>> {
  await dropTotp(ctx.db, theirs(ctx).id)
  return { body: { object: 'done' } }
}
