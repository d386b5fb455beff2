/** POST /persons/{who}/erase: a person goes for good, once their address was typed again. */
import { ApiError } from '../../contract/errors.ts'
import type { AnswerOf, InputOf } from '../../contract/operations.ts'
import type { CallContext } from '../context.ts'
import { shapeError } from '../dispatch/judge-shape.ts'
import { recordAct } from '../people/record-act.ts'
import { erasePerson } from './erase-person.ts'
import { getPerson } from './get-person.ts'

export async function forgetPerson(
  ctx: CallContext,
  { params, body }: InputOf<'forgetPerson'>,
): Promise<AnswerOf<'forgetPerson'>> {
  const { email } = (await getPerson(ctx, { params, query: {}, headers: {}, body: undefined, file: undefined })).body
  if (body.email.trim().toLowerCase() !== email) throw shapeError([{ path: 'email', rule: 'same_address' }])
  const erasure = await erasePerson(ctx, ctx.workspaceId, email)
  if (!erasure.erased) throw new ApiError('conflict', { reason: 'being_sent' }, 60)
  // The log says that it was done, and not to whom.
  await ctx.db.transaction((tx) => recordAct(tx, ctx, { act: 'person.erased', subject: '', details: { kept: erasure.kept } }))
  return { body: { object: 'person', erased: true, kept: erasure.kept } }
}
