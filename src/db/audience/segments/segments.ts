/** The stored segments of workspaces. A change of a definition is a new version of it. */
import type { Condition } from '../../../contract/segments.ts'
import { fragment } from '../../../database/client/fragment.ts'
import { sql } from '../../../database/client/sql.ts'
import type { Database } from '../../../database/client/database.ts'

export interface SegmentRow {
  id: string
  name: string
  /** With fields and forms by their identifiers. */
  definition: Condition
  version: number
  createdAt: Date
  updatedAt: Date
}

const segmentColumns = fragment`id, name, definition, version, created_at, updated_at`

/** `changedBy`: the member's address; null: a command. Null where another segment has the name. */
export function insertSegment(
  tx: Database,
  workspaceId: number,
  { id, name, definition }: Pick<SegmentRow, 'id' | 'name' | 'definition'>,
  changedBy: string | null,
): Promise<SegmentRow | null> {
  return tx.row<SegmentRow>(sql`
    insert into segment (workspace_id, id, name, definition, changed_by, created_at, updated_at)
    select ${workspaceId}, ${id}, ${name}, ${JSON.stringify(definition)}::jsonb, ${changedBy}, at, at
    from (select date_trunc('milliseconds', facteur_now()) as at) moment
    on conflict (workspace_id, lower(name)) do nothing
    returning ${segmentColumns}`)
}

/** By name: a limited number. */
export function segmentsOf(db: Database, workspaceId: number): Promise<SegmentRow[]> {
  return db.rows<SegmentRow>(sql`
    select ${segmentColumns}
    from segment
    where workspace_id = ${workspaceId}
    order by name, id`)
}

export function segmentById(
  db: Database,
  workspaceId: number,
  id: string,
): Promise<SegmentRow | null> {
  return db.row<SegmentRow>(sql`
    select ${segmentColumns}
    from segment
    where workspace_id = ${workspaceId} and id = ${id}`)
}

/** Locked for the transaction, against campaigns that choose it too; null when there is none. */
export function lockSegment(
  tx: Database,
  workspaceId: number,
  id: string,
): Promise<SegmentRow | null> {
  return tx.row<SegmentRow>(sql`
    select ${segmentColumns}
    from segment
    where workspace_id = ${workspaceId} and id = ${id}
    for update`)
}

/**
 * Locked against other changes alone: a freeze that reads its contacts meanwhile has its definition
 * and version already, and may take minutes.
 */
export function lockSegmentToChange(
  tx: Database,
  workspaceId: number,
  id: string,
): Promise<SegmentRow | null> {
  return tx.row<SegmentRow>(sql`
    select ${segmentColumns}
    from segment
    where workspace_id = ${workspaceId} and id = ${id}
    for no key update`)
}

/**
 * The name of who defined it stays where its version does. Fails with 23505 when another segment
 * has the name.
 */
export function writeSegment(
  tx: Database,
  workspaceId: number,
  { id, name, definition, version }: Omit<SegmentRow, 'createdAt' | 'updatedAt'>,
  changedBy: string | null,
): Promise<SegmentRow> {
  return tx.onlyRow<SegmentRow>(sql`
    update segment
    set name = ${name}, definition = ${JSON.stringify(definition)}::jsonb, version = ${version},
      changed_by = case when version <> ${version} then coalesce(${changedBy}, changed_by)
        else changed_by end,
      updated_at = date_trunc('milliseconds', facteur_now())
    where workspace_id = ${workspaceId} and id = ${id}
    returning ${segmentColumns}`)
}

export async function deleteStoredSegment(
  tx: Database,
  workspaceId: number,
  id: string,
): Promise<void> {
  await tx.count(sql`delete from segment where workspace_id = ${workspaceId} and id = ${id}`)
}

/** Names of segments whose definition compares a field, in order; a few. */
export function segmentsWithField(
  db: Database,
  workspaceId: number,
  fieldId: string,
): Promise<string[]> {
  return db.column<string>(sql`
    select name
    from segment
    where workspace_id = ${workspaceId}
      and jsonb_path_exists(definition, '$.**.field ? (@ == $id)', jsonb_build_object('id', ${fieldId}::text))
    order by name
    limit 10`)
}

/** The instant, and the time zone that days of conditions are of. */
export function momentOf(
  db: Database,
  workspaceId: number,
): Promise<{ at: Date; timeZone: string }> {
  return db.onlyRow<{ at: Date; timeZone: string }>(sql`
    select facteur_now() as at, coalesce(w.time_zone, 'UTC') as time_zone
    from workspace w
    where w.id = ${workspaceId}`)
}
