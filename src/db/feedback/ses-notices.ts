/** Notices of Amazon SNS: each is acted on once, and the topics that sent one are stored. */
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'

/** `too_early`: its time is ahead of ours by more than clocks may differ. */
export type NoticeVerdict = 'fresh' | 'repeated' | 'too_old' | 'too_early'

/**
 * How far a notice's clock may be ahead of ours. Its id is stored for far longer than its allowed
 * age (db/retention/lifetimes.ts).
 */
const aheadMaxSeconds = 900

/**
 * Stores a notice's id, once, unless the notice is too old; both by the database's clock. With
 * `ageMaxSeconds` null its time does not matter. Of two at the same time, the second waits for the
 * end of the first one's transaction.
 */
export function insertSesNotice(
  tx: Database,
  { id, sentAt, ageMaxSeconds }: { id: string; sentAt: Date; ageMaxSeconds: number | null },
): Promise<NoticeVerdict> {
  return tx.onlyValue<NoticeVerdict>(sql`
    with checked as materialized (
      select at,
        case when ${sentAt}::timestamptz < at - make_interval(secs => ${ageMaxSeconds}::float8) then 'too_old'
        when ${sentAt}::timestamptz > at + make_interval(secs => ${aheadMaxSeconds})
        and ${ageMaxSeconds}::float8 is not null then 'too_early' end as why
      from (select facteur_now() as at) clock
    ), remembered as (
      insert into ses_notice (id, received_at)
      select ${id}, at
      from checked
      where why is null
      on conflict do nothing
      returning id
    )
    select coalesce((select why from checked),
      case when exists (select from remembered) then 'fresh' else 'repeated' end) as verdict`)
}

export interface TopicRow {
  topicArn: string
  confirmedAt: Date | null
  seenAt: Date
}

/**
 * Stores contact with a topic. A true `subscribed` means its subscription was confirmed. False if
 * it ended. Null if it only sent a notice.
 */
export async function insertSesTopic(
  db: Database,
  topicArn: string,
  subscribed: boolean | null,
): Promise<void> {
  await db.count(sql`
    insert into ses_topic as t (topic_arn, confirmed_at, heard_at)
    values (${topicArn}, case when ${subscribed}::boolean then facteur_now() end, facteur_now())
    on conflict (topic_arn) do update set heard_at = excluded.heard_at,
      confirmed_at = case when ${subscribed}::boolean is null then t.confirmed_at
        else excluded.confirmed_at end`)
}

export function seenTopics(db: Database, topicArns: readonly string[]): Promise<TopicRow[]> {
  return db.rows<TopicRow>(sql`
    select topic_arn, confirmed_at, heard_at as seen_at from ses_topic
    where topic_arn = any(${[...topicArns]}::text[])`)
}
