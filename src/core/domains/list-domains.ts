/** GET /domains: all domains of the workspace. */
import { domainsOf } from '../../db/domains/domains.ts'
import { isByKey } from '../context.ts'
import { keySummary } from './answer-domain.ts'
import { domainSummary } from './domain-body.ts'
import type { Verb } from '../verb.ts'

export const listDomains: Verb<'listDomains'> = async (ctx) => {
  const domains = await domainsOf(ctx.db, ctx.workspaceId)
  const list = { object: 'list', has_more: false, next_cursor: '' } as const
  return isByKey(ctx)
    ? { body: { ...list, data: domains.map(keySummary) } }
    : { body: { ...list, data: domains.map(domainSummary) } }
}
