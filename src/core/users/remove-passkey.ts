/** DELETE /person/passkeys/{id}: removes a passkey. */
import { ApiError } from '../../contract/errors.ts'
import type { AnswerOf, InputOf } from '../../contract/operations.ts'
import { deletePasskey } from '../../db/users/passkeys.ts'
import type { CallContext } from '../context.ts'
import { signedInUser } from '../signed-in-user.ts'

export async function removePasskey(
  ctx: CallContext,
  { params: { id } }: InputOf<'removePasskey'>,
): Promise<AnswerOf<'removePasskey'>> {
  if (!(await deletePasskey(ctx.db, signedInUser(ctx).id, id))) throw new ApiError('not_found', { id })
  return { body: { object: 'done' } }
}
