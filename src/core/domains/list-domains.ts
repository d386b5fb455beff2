/** GET /domains: all domains of the workspace. */
import { domainsOf } from '../../db/domains/domains.ts'
import { domainSummary } from './domain-body.ts'
import type { Verb } from '../verb.ts'

export const listDomains: Verb<'listDomains'> = async ({ db, workspaceId }) => {
  const domains = await domainsOf(db, workspaceId)
  return {
    body: { object: 'list', data: domains.map(domainSummary), has_more: false, next_cursor: '' },
  }
}
