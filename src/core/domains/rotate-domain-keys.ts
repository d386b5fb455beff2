/** POST /domains/{name}/rotate: makes the next keys and lists their records. */
import { ApiError } from '../../contract/errors.ts'
import type { AnswerOf, InputOf } from '../../contract/operations.ts'
import type { CallContext } from '../context.ts'
import { domainBody } from './domain-body.ts'
import { domainOfPath } from './read-domain-name.ts'
import { rotateKeys } from './rotate-keys.ts'

export async function rotateDomainKeys(
  ctx: CallContext,
  { params }: Pick<InputOf<'rotateDomainKeys'>, 'params'>,
): Promise<AnswerOf<'rotateDomainKeys'>> {
  const rotated = await rotateKeys(ctx, ctx.workspaceId, domainOfPath(params.name))
  if (!rotated) throw new ApiError('not_found')
  return { body: domainBody(rotated.domain) }
}
