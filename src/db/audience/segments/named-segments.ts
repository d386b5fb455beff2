/** Segments by their identifiers and names, for the campaigns that go to them. */
import type { Condition } from '../../../contract/segments.ts'
import { sql } from '../../../database/client/sql.ts'
import type { Database } from '../../../database/client/database.ts'

/** A segment as it was when a list was frozen by it. */
export interface FrozenSegment {
  id: string
  name: string
  version: number
  definition: Condition
}

export function segmentsById(
  db: Database,
  workspaceId: number,
  ids: string[],
): Promise<FrozenSegment[]> {
  return db.rows<FrozenSegment>(sql`
    select id, name, version, definition
    from segment
    where workspace_id = ${workspaceId} and id = any (${ids}::uuid[])`)
}

/** By its identifier or its name, whatever its case; null if there is none. */
export function segmentByName(
  db: Database,
  workspaceId: number,
  name: string,
): Promise<string | null> {
  return db.value<string>(sql`
    select id
    from segment
    where workspace_id = ${workspaceId} and (id::text = ${name} or lower(name) = lower(${name}))
    order by id::text = ${name} desc
    limit 1`)
}

/** As `segmentsById()`, locked against a deletion until the transaction ends, in their order. */
export function lockSegments(
  tx: Database,
  workspaceId: number,
  ids: string[],
): Promise<FrozenSegment[]> {
  return tx.rows<FrozenSegment>(sql`
    select id, name, version, definition
    from segment
    where workspace_id = ${workspaceId} and id = any (${ids}::uuid[])
    order by id
    for key share`)
}
