/** Presents a sender, with whether its domain is verified. */
import type { Sender } from '../../contract/workspace/senders.ts'
import type { DomainRow } from '../../db/domains/domains.ts'
import type { SenderRow } from '../../db/workspaces/senders.ts'
import { domainOf } from '../domain-of.ts'

export function presentSender(
  row: SenderRow,
  domains: Pick<DomainRow, 'name' | 'status'>[],
): Sender {
  const domain = domainOf(row.email)
  return {
    object: 'sender',
    id: row.id,
    name: row.name,
    email: row.email,
    default: row.default,
    domain,
    domain_status: domains.find(({ name }) => name === domain)?.status ?? 'absent',
    created_at: row.createdAt.toISOString(),
  }
}
