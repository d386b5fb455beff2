/** POST /domains/{name}/rotate: makes the next keys and lists their records. */
import { found } from '../../contract/errors.ts'
import { domainBody } from './domain-body.ts'
import { domainOfPath } from './read-domain-name.ts'
import { rotateKeys } from './rotate-keys.ts'
import type { Verb } from '../verb.ts'

export const rotateDomainKeys: Verb<'rotateDomainKeys'> = async (ctx, { params }) => {
  const rotated = found(await rotateKeys(ctx, { workspaceId: ctx.workspaceId, name: domainOfPath(params.name) }))
  return { body: domainBody(rotated.domain) }
}
