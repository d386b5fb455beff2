/** GET /domains/{name}: a domain with the last result of its records' checks. */
import { ApiError } from '../../contract/errors.ts'
import type { AnswerOf, InputOf } from '../../contract/operations.ts'
import type { CallContext } from '../context.ts'
import { domainBody } from './domain-body.ts'
import { domainOfPath } from './read-domain-name.ts'
import { presentDomain } from './present-domain.ts'

export async function getDomain(
  ctx: CallContext,
  { params }: Pick<InputOf<'getDomain'>, 'params'>,
): Promise<AnswerOf<'getDomain'>> {
  const domain = await presentDomain(ctx, ctx.workspaceId, domainOfPath(params.name))
  if (!domain) throw new ApiError('not_found')
  return { body: domainBody(domain) }
}
