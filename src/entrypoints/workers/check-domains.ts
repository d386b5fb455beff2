/** One workspace's turn of its domains: looks up the DNS records that are due for a check. */
import type { Service } from '../../core/context.ts'
import { lookUpDueDomain } from '../../core/domains/look-up-due-domain.ts'
import { raiseDomainDue } from '../../db/sending/due.ts'
import type { Turn } from './deliver-due.ts'

export async function checkDomains(service: Service, workspaceId: number): Promise<Turn> {
  if (await lookUpDueDomain(service, workspaceId)) return 'more'
  await raiseDomainDue(service.db, workspaceId)
  return 'later'
}
