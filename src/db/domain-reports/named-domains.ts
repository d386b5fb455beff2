/** Finds the workspaces that a report concerns: it names domains, and no workspace. */
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'

export interface NamedDomain {
  workspaceId: number
  /** The verified domain. */
  name: string
  /** Which of the given names led to it: its own, or that of the host of its return paths. */
  by: string
}

/**
 * Verified domains of a database with one of these names, or whose return paths are at one of these
 * hosts. `max` at most.
 */
export function domainsNamed(
  db: Database,
  { names, hosts, max }: { names: string[]; hosts: string[]; max: number },
): Promise<NamedDomain[]> {
  return db.rows<NamedDomain>(sql`
    select workspace_id, name, name as by from domain
    where name = any (${names}::text[]) and status = 'verified'
    union all
    select workspace_id, name, return_path_host from domain
    where return_path_host = any (${hosts}::text[]) and status = 'verified'
    limit ${max}`)
}
