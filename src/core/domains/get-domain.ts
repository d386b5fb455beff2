/** GET /domains/{name}: a domain with the last result of its records' checks. */
import { existing } from '../../contract/errors.ts'
import { answerDomain } from './answer-domain.ts'
import { domainOfPath } from './read-domain-name.ts'
import { presentDomain } from './present-domain.ts'
import type { Verb } from '../verb.ts'

export const getDomain: Verb<'getDomain'> = async (ctx, { params }) => {
  const domain = existing(
    await presentDomain(ctx, { workspaceId: ctx.workspaceId, name: domainOfPath(params.name) }),
  )
  return answerDomain(ctx, domain)
}
