/**
 * Joins a status, a saved segment and a definition: a contact is in all of them. Each was read
 * alone, so that a segment may be as large as it may, and is narrowed all the same.
 */
import type { Condition } from '../../../contract/segments.ts'
import type { SubscriberStatus } from '../../../contract/subscribers.ts'
import type { Database } from '../../../database/client/database.ts'
import { segmentById } from '../../../db/audience/segments/segments.ts'
import { shapeError } from '../../input/shape-error.ts'

/** Throws `validation_error` with `path` for a segment that is gone: nobody means everybody then. */
export async function joinDefinitions(
  { db, workspaceId }: { db: Database; workspaceId: number },
  { status, segment, definition, path = 'segment' }: Joined,
): Promise<Condition> {
  const all: Condition[] = status === undefined ? [] : [{ status }]
  if (segment !== undefined) {
    const stored = await segmentById(db, workspaceId, segment)
    if (stored === null) throw shapeError([{ path, rule: 'unknown' }])
    all.push(stored.definition)
  }
  if (definition !== undefined) all.push(definition)
  // A refusal has the path of the one that was written.
  const [first, second] = all
  return first && !second ? first : { all }
}

interface Joined {
  status?: SubscriberStatus | undefined
  /** Its identifier. */
  segment?: string | undefined
  definition?: Condition | undefined
  path?: string
}
