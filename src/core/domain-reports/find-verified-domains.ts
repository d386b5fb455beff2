/**
 * Finds the verified domains that a report names, in whatever workspace and database: a report
 * names no workspace.
 */
import { domainsNamed, type NamedDomain } from '../../db/domain-reports/named-domains.ts'
import type { Service } from '../context.ts'

export interface VerifiedDomain extends NamedDomain {
  /** The service of its workspace's database. */
  at: Service
}

/** Workspaces that may share a domain, and names of one report. */
const domainsMax = 20

export async function findVerifiedDomains(
  { databases }: Pick<Service, 'databases'>,
  { names, hosts }: { names: string[]; hosts: string[] },
): Promise<VerifiedDomain[]> {
  if (names.length + hosts.length === 0) return []
  const matches: VerifiedDomain[] = []
  for (const at of databases.open())
    for (const domain of await domainsNamed(at.db, { names, hosts, max: domainsMax }))
      matches.push({ ...domain, at })
  return matches
}
