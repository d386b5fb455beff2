/** GET /domains: all domains of the workspace. */
import type { AnswerOf } from '../../contract/operations.ts'
import { domainsOf } from '../../db/domains/domains.ts'
import type { CallContext } from '../context.ts'
import { domainSummary } from './domain-body.ts'

export async function listDomains({
  db,
  workspaceId,
}: Pick<CallContext, 'db' | 'workspaceId'>): Promise<AnswerOf<'listDomains'>> {
  const domains = await domainsOf(db, workspaceId)
  return { body: { object: 'list', data: domains.map(domainSummary), has_more: false, next_cursor: '' } }
}
