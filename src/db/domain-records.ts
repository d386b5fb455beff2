/** What the looks at a domain's records found, and which of them mail goes by. */
import { sql } from './connect.ts'
import type { Database } from './connect.ts'

/** The subdomains that mail of a domain uses; null where its records were not found, or lost for long. */
export async function hostsInUse(
  db: Database,
  workspaceId: number,
  domain: string,
): Promise<{ returnPath: string | null; tracking: string | null }> {
  const rows = await db.rows<{ purpose: string; name: string }>(sql`
    select purpose, name from domain_record
    where workspace_id = ${workspaceId} and domain = ${domain} and in_use and purpose in ('return_path', 'tracking')`)
  const hostOf = (purpose: string): string | null => rows.find((row) => row.purpose === purpose)?.name ?? null
  return { returnPath: hostOf('return_path'), tracking: hostOf('tracking') }
}
