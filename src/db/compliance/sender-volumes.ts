/** How many mails an organisation sent to a large receiver in a day, over all workspaces. */
import { bulkMailsMin, type Receiver } from '../../contract/compliance.ts'
import { fragment, rowList } from '../../database/client/fragment.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'

export interface SenderVolume {
  receiver: Receiver
  /** `2026-11-21`, of UTC. */
  highestDay: string
  highestMails: number
  /** The first day on which it was a bulk sender. Null if it never was. */
  bulkSince: string | null
}

/** Of a day `v` and the mails of `excluded`, which may be of a later one. */
const mailsOfDay = fragment`case when v.day = excluded.day then v.mails else 0 end + excluded.mails`

/**
 * Adds mails of today. The rows are locked in one order, so that two processes never wait for each
 * other.
 */
export async function addSenderVolumes(
  db: Database,
  counts: { organization: string; receiver: Receiver; mails: number }[],
): Promise<void> {
  await db.count(sql`
    with counts as materialized (
      select n.*, (facteur_now() at time zone 'utc')::date as day
      from ${rowList(counts, 'n', { text: ['organization', 'receiver'], bigint: ['mails'] })}
      order by n.organization, n.receiver
    )
    insert into sender_volume as v
      (organization, receiver, day, mails, highest_day, highest_mails, bulk_since)
    select organization, receiver, day, mails, day, mails,
      case when mails >= ${bulkMailsMin}::bigint then day end
    from counts
    on conflict (organization, receiver) do update set
      day = excluded.day,
      mails = ${mailsOfDay},
      highest_day = case when ${mailsOfDay} > v.highest_mails then excluded.day else v.highest_day end,
      highest_mails = greatest(v.highest_mails, ${mailsOfDay}),
      bulk_since = coalesce(v.bulk_since,
        case when ${mailsOfDay} >= ${bulkMailsMin}::bigint then excluded.day end)`)
}

export function senderVolumes(db: Database, organization: string): Promise<SenderVolume[]> {
  return db.rows<SenderVolume>(sql`
    select receiver, to_char(highest_day, 'YYYY-MM-DD') as highest_day, highest_mails,
      to_char(bulk_since, 'YYYY-MM-DD') as bulk_since
    from sender_volume where organization = ${organization}`)
}
