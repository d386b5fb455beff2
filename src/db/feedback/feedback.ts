/**
 * Feedback from providers: stores each report once, updates single messages' recipients, and
 * assumes delivery where feedback never comes (semantics 3).
 */
import { fragment, rowShape } from '../../database/client/fragment.ts'
import { subscriptionCheck, WebhookSubscribes } from '../webhooks/subscription-check.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import { lateSeconds } from '../../database/client/late-rows.ts'
import type { BounceClass } from '../../contract/emails.ts'
import type { RecipientStatus } from '../../contract/workspace/messages.ts'

export interface MessageTarget {
  messageId: string
  position: number
}

/** A recipient under its lock. */
export interface LockedTarget {
  /** Lower-cased. */
  email: string
  status: RecipientStatus
  state: 'pending' | 'leased' | 'in_doubt' | 'settled'
  /** 0: its hand-off never started. */
  attempts: number
  /**
   * The source that proved the delivery; null without one. An assumed delivery that was then opened
   * is proven.
   */
  deliveredBy: string | null
  bounce: BounceClass | null
  sentAt: Date | null
  /** When it was last handed over, as well as it is known. */
  handedOverAt: Date
  ageSeconds: number
}

/**
 * A recipient of a single message, or of a notice, which counts in no reputation (semantics 1,
 * Quota).
 */
export type LockedMessageRecipient = LockedTarget & MessageTarget & { notice: boolean }

const targetList = rowShape<MessageTarget>('t', { uuid: ['messageId'], smallint: ['position'] })

/**
 * Locks the recipients that exist, in the order in which outcomes are written
 * (db/sending/outcomes.ts). Each target once.
 */
export function lockMessageRecipients(
  tx: Database,
  workspaceId: number,
  targets: MessageTarget[],
): Promise<LockedMessageRecipient[]> {
  return tx.rows<LockedMessageRecipient>(sql`
    select t.message_id, t.position, r.address_key as email, r.status, r.state, r.attempts,
      case when r.delivered_by = 'silence' and r.opened_at is not null then 'open'
        else r.delivered_by end as delivered_by,
      r.bounce, r.sent_at, h.notice, h.at as handed_over_at,
        extract(epoch from facteur_now() - h.at)::float8 as age_seconds
    from (
      select * from ${targetList(targets)}
      order by message_id, position
    ) t
    cross join lateral (
      select *
      from recipient
      where workspace_id = ${workspaceId} and message_id = t.message_id and position = t.position
      for update) r
    cross join lateral (
      select notice, coalesce(r.sent_at, r.settled_at, scheduled_at, created_at) as at from message
      where workspace_id = ${workspaceId} and id = t.message_id) h`)
}

/** The change that feedback makes to a recipient. */
export interface StatusUpdate {
  status: RecipientStatus
  /** Written where the status changes. */
  error: string | null
  bounce: BounceClass | null
  /**
   * Whether it proves a delivery, and when that was by the source's clock. Null means now, or the
   * known time.
   */
  delivers: boolean
  at: Date | null
}

/** The columns of row `r` in either ledger that an update `m` sets at the time `now.at`. */
export const applyUpdate = fragment`status = m.status, bounce = m.bounce,
        error = case when r.status = m.status then r.error else m.error end,
        cause = case when r.status = m.status then r.cause when m.error is not null then 'refused' end,
        sent_at = case when r.status <> m.status then coalesce(r.sent_at, now.at) else r.sent_at end,
        delivered_at = case
          when not m.delivers then case when r.delivered_by is distinct from 'silence' then r.delivered_at end
          else coalesce(case when r.delivered_by is distinct from 'silence' then r.delivered_at end,
            case when m.at is not null then greatest(coalesce(r.sent_at, now.at), least(m.at, now.at)) end,
              r.delivered_at, now.at) end,
        -- Feedback proves or denies an assumed delivery.
        delivered_by = case when r.delivered_by = 'silence' then case when m.delivers then 'feedback' end
                            when m.delivers then coalesce(r.delivered_by, 'feedback') else r.delivered_by end,
        state = case when r.state = 'leased' then 'leased' else 'settled' end`

const moveList = rowShape<StatusUpdate & MessageTarget>('m', {
  uuid: ['messageId'],
  smallint: ['position'],
  text: ['status', 'error', 'bounce'],
  boolean: ['delivers'],
  timestamptz: ['at'],
})

/**
 * Updates recipients that this transaction holds. Proof of an outcome ends every doubt; a holder
 * that still waits finalizes its row itself.
 */
export async function updateMessageRecipientStatuses(
  tx: Database,
  workspaceId: number,
  moves: (StatusUpdate & MessageTarget)[],
): Promise<void> {
  await tx.count(sql`
    update recipient r set ${applyUpdate}
    from (select facteur_now() as at) now
    cross join ${moveList(moves)}
    where r.workspace_id = ${workspaceId} and r.message_id = m.message_id and r.position = m.position`)
}

export interface FeedbackRow {
  source: string
  sourceId: string
  /** Exactly one of the two is there. */
  message: MessageTarget | null
  campaign: { campaignId: string; subscriberId: string } | null
  kind: string
  bounce: string | null
  code: string | null
  complaint: string | null
  detail: string | null
  at: Date | null
  rawId: string | null
}

type FeedbackTarget = Partial<MessageTarget & NonNullable<FeedbackRow['campaign']>>

const feedbackList = rowShape<FeedbackRow & FeedbackTarget>('n', {
  uuid: ['messageId', 'campaignId', 'subscriberId'],
  smallint: ['position'],
  text: ['source', 'sourceId', 'kind', 'bounce', 'code', 'complaint', 'detail', 'rawId'],
  timestamptz: ['at'],
})

/**
 * Stores new feedback; answers which was new, by source and identifier. Each pair once: the caller
 * holds the lock of its recipient, since no index over all partitions can refuse the second one.
 */
export function insertFeedback(
  tx: Database,
  workspaceId: number,
  feedback: FeedbackRow[],
): Promise<{ source: string; sourceId: string }[]> {
  const rows = feedback.map((row) => ({ ...row, position: 0, ...row.message, ...row.campaign }))
  return tx.rows<{ source: string; sourceId: string }>(sql`
    with fresh as materialized (
      select n.* from ${feedbackList(rows)}
      where not exists (select
        from feedback f
        where f.workspace_id = ${workspaceId} and f.source = n.source and f.source_id = n.source_id)
    )
    insert into feedback (workspace_id, source, source_id, message_id, position, campaign_id, subscriber_id,
      kind, bounce, code, complaint,
      detail, occurred_at, raw_id, received_at)
    select ${workspaceId}, n.source, n.source_id, n.message_id, n.position, n.campaign_id, n.subscriber_id,
      n.kind, n.bounce, n.code, n.complaint,
      n.detail, n.at, n.raw_id, facteur_now()
    from fresh n
    order by n.source, n.source_id
    on conflict do nothing
    returning source, source_id`)
}

export interface RawNotice {
  source: string
  id: string
  /** The notice's first bytes. */
  bytes: Buffer
  /** The whole length in bytes. */
  size: number
}

const noticeNames = rowShape<RawNotice>('n', { text: ['source', 'id'] })
const noticeList = rowShape<RawNotice>('n', {
  text: ['source', 'id'],
  bytea: ['bytes'],
  int: ['size'],
})

/**
 * Stores notices as they came; one that exists stays as it is. Those who store the same notice, for
 * its other recipients, wait for each other, since no index over all partitions can refuse the
 * second one.
 */
export async function insertRawNotices(
  tx: Database,
  workspaceId: number,
  notices: RawNotice[],
): Promise<void> {
  await tx.rows(sql`
    select pg_advisory_xact_lock(hashtextextended(name, ${workspaceId})) from (
      select distinct n.source || ' ' || n.id as name from ${noticeNames(notices)} order by 1) names`)
  await tx.count(sql`
    with fresh as materialized (
      select n.* from ${noticeList(notices)}
      where not exists (select
        from raw_notice r
        where r.workspace_id = ${workspaceId} and r.source = n.source and r.id = n.id)
    )
    insert into raw_notice (workspace_id, source, id, bytes, size, received_at)
    select ${workspaceId}, n.source, n.id, n.bytes, n.size, facteur_now() from fresh n
    order by n.source, n.id
    on conflict do nothing`)
}

/**
 * Assumes delivery of rows that were sent longer ago than that, on a provider without feedback;
 * answers which. The look begins behind `from`, as that of a claim does (db/sending/claims.ts);
 * `passedTo` is where the next one may begin. `unsubscribedTypes`: types of events without a
 * subscriber (core/events/change-and-publish.ts).
 */
export async function assumeMessagesDelivered(
  db: Database,
  workspaceId: number,
  {
    silenceSeconds,
    max,
    from,
    unsubscribedTypes,
  }: {
    silenceSeconds: number
    max: number
    from: Date | null
    unsubscribedTypes: readonly string[]
  },
): Promise<{ targets: MessageTarget[]; passedTo: Date }> {
  const rows = await db.rows<MessageTarget & { passedTo: Date | null; isSubscribed: boolean }>(sql`
    with ${subscriptionCheck(workspaceId, unsubscribedTypes)}, silent as materialized (
      select message_id, position, sent_at from recipient
      where workspace_id = ${workspaceId} and status = 'sent'
        and sent_at <= (select facteur_now() - make_interval(secs => ${silenceSeconds}))
        and sent_at > coalesce(${from}::timestamptz, '-infinity')
        and not (select is_subscribed from subscribed)
      order by sent_at limit ${max} for update skip locked
    ), delivered as (
      update recipient r set status = 'delivered', delivered_by = 'silence', delivered_at = facteur_now()
      from silent s
      where r.workspace_id = ${workspaceId} and r.message_id = s.message_id and r.position = s.position
      returning r.message_id, r.position
    )
    select message_id, position, null::timestamptz as passed_to, false as is_subscribed from delivered
    union all
    select null, null,
      case when count(*) < ${max} then facteur_now() - make_interval(secs => ${silenceSeconds})
        else max(sent_at) end
      - ${lateSeconds} * interval '1 second', (select is_subscribed from subscribed)
    from silent`)
  const { passedTo, isSubscribed } = rows.at(-1) ?? {}
  if (isSubscribed) throw new WebhookSubscribes()
  if (!passedTo) throw new Error('The look did not answer how far it went')
  return {
    targets: rows.slice(0, -1).map(({ messageId, position }) => ({ messageId, position })),
    passedTo,
  }
}
