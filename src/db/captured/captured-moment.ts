/**
 * What of a workspace's captured mails can be read at a moment, so that a later query finds all
 * others: also one whose transaction commits after mails that were captured later.
 */
import { limits } from '../../contract/limits.ts'
import type { Database } from '../../database/client/database.ts'
import { fragment } from '../../database/client/fragment.ts'
import { lateSeconds } from '../../database/client/late-rows.ts'
import { sql } from '../../database/client/sql.ts'

/** `at` as the database writes it, to the microsecond. */
export interface CapturedPosition {
  at: string
  id: string
}

/** Mails up to `from` were there, and those of `known`. */
export interface CapturedMoment {
  from: CapturedPosition
  /** The tails of the identifiers of mails after `from`. */
  known: string[]
}

/** The last group: 48 bits, of which chance makes no two alike within two seconds. */
export const tailOfId = fragment`right(id::text, 12)`

/** Before all identifiers of a time. */
const firstId = '00000000-0000-0000-0000-000000000000'
export const beginning = { at: '1970-01-01 00:00:00+00', id: firstId }

/**
 * The mails of the last two seconds before the newest one, which keys may list. Of more than
 * `capturedSeenMax`, the newest; a later query then finds only what is captured after the others.
 */
export async function capturedMoment(db: Database, workspaceId: number): Promise<CapturedMoment> {
  const max = limits.capturedSeenMax
  const rows = await db.rows<CapturedPosition & { tail: string; late: string }>(sql`
    with listed as not materialized (
      select captured_at, id from captured_mail c
      where workspace_id = ${workspaceId} and octet_length(raw) > 0 and (campaign_id is not null or (
        select m.head ->> 'private' is distinct from 'true' from message m
        where m.workspace_id = ${workspaceId} and m.id = c.message_id))
    ), newest as materialized (
      select captured_at - ${lateSeconds} * interval '1 second' as late
      from listed
      order by captured_at desc, id desc
      limit 1
    )
    select captured_at::text as at, id, ${tailOfId} as tail, (select late::text from newest) as late
    from listed
    where captured_at >= (select late from newest)
    order by captured_at desc, id desc limit ${max + 1}`)
  const [newest] = rows
  if (newest === undefined) return { from: beginning, known: [] }
  const { at, id } = rows[max] ?? { at: newest.late, id: firstId }
  return { from: { at, id }, known: rows.slice(0, max).map(({ tail }) => tail) }
}
