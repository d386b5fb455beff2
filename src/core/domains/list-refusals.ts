/**
 * GET /domains/{name}/refusals: why mail servers refused mail of a domain lately, and what mends
 * it.
 */
import { existing } from '../../contract/errors.ts'
import { domainsOf } from '../../db/domains/domains.ts'
import { refusalsOfDomain } from '../../db/sending/refusal-counts.ts'
import { openRefusals } from '../refusals/explain-refusals.ts'
import { rfc3339 } from '../input/read-time.ts'
import type { Verb } from '../verb.ts'
import { domainOfPath } from './read-domain-name.ts'

export const listRefusals: Verb<'listRefusals'> = async (ctx, { params }) => {
  const domain = domainOfPath(params.name)
  const { db, workspaceId } = ctx
  existing((await domainsOf(db, workspaceId)).find(({ name }) => name === domain) ?? null)
  const [refusals, counted] = await Promise.all([
    openRefusals(ctx, { workspaceId, domain }),
    refusalsOfDomain(db, workspaceId, domain),
  ])
  const data = counted.flatMap(({ cause, address, refusals: count, lastAt }) => {
    const explained = refusals.ofCause(cause, address)
    return explained === null
      ? []
      : [{ object: 'refusal' as const, ...explained, count, last_at: rfc3339(lastAt) }]
  })
  return { body: { object: 'list', data, has_more: false, next_cursor: '' } }
}
