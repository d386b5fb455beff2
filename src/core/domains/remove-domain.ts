/** DELETE /domains/{name}: removes a domain, unless mail still leaves from it. */
import { ApiError } from '../../contract/errors.ts'
import { dropDomain } from './drop-domain.ts'
import { domainOfPath } from './read-domain-name.ts'
import type { Verb } from '../verb.ts'

export const removeDomain: Verb<'removeDomain'> = async (ctx, { params }) => {
  const name = domainOfPath(params.name)
  const dropped = await dropDomain(ctx, { workspaceId: ctx.workspaceId, name })
  if (dropped === 'unknown') throw new ApiError('not_found')
  if (dropped !== 'removed') throw new ApiError('conflict', { ...dropped })
  return { body: { object: 'domain', name, removed: true } }
}
