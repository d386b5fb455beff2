/** DELETE /sessions/{id}: ends a session, so that its browser must sign in again. */
import { ApiError } from '../../contract/errors.ts'
import type { AnswerOf, InputOf } from '../../contract/operations.ts'
import { endSessionRow as endOne } from '../../db/users/sessions.ts'
import { isId } from '../../ids.ts'
import type { CallContext } from '../context.ts'
import { signedInUser } from '../signed-in-user.ts'

export async function endSession(ctx: CallContext, { params: { id } }: InputOf<'endSession'>): Promise<AnswerOf<'endSession'>> {
  if (!isId(id) || !(await endOne(ctx.db, signedInUser(ctx).id, id))) throw new ApiError('not_found', { id })
  return { body: { object: 'done' } }
}
