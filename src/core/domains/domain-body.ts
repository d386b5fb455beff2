/** Presents a domain to the pages of its workspace. */
import type { Domain } from '../../contract/workspace/domains.ts'
import type { DomainRow } from '../../db/domains/domains.ts'
import type { PresentedDomain, PresentedRecord } from './present-domain.ts'

export const domainBody = (domain: PresentedDomain): Domain => ({
  ...domainSummary(domain),
  records: domain.records.map(recordBody),
  rotating:
    domain.records.some(({ key }) => key?.state === 'waiting') &&
    domain.records.some(({ key }) => key?.state === 'signing'),
})

export const domainSummary = (domain: DomainRow): Omit<Domain, 'records' | 'rotating'> => ({
  object: 'domain',
  name: domain.name,
  status: domain.status,
  // Domains from before record checks were verified by the operator.
  verified_by: domain.status === 'verified' ? (domain.verifiedBy ?? 'operator') : null,
  created_at: domain.createdAt.toISOString(),
  verified_at: domain.verifiedAt?.toISOString() ?? null,
  checked_at: domain.checkedAt?.toISOString() ?? null,
})

const recordBody = ({
  purpose,
  type,
  name,
  expected,
  required,
  status,
  found: result,
  problem,
  key,
}: PresentedRecord): Domain['records'][number] => ({
  ...{ purpose, type, name, value: expected, required, status, found: result, problem },
  key: key && {
    algorithm: key.algorithm,
    state: key.state,
    retire_at: key.retireAt?.toISOString() ?? null,
  },
})
