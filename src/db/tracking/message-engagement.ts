/** Opens and clicks of single messages with tracking. */
import { rowList } from '../../database/client/fragment.ts'
import { sql, type Statement } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import { rowsUnlessSubscribed, subscriptionCheck } from '../webhooks/subscription-check.ts'
import { erasedAddress } from '../audience/erasures.ts'
import {
  engagementColumns,
  type CampaignEngagement,
  type StoredEngagement,
} from './campaign-engagement.ts'

/**
 * One open or click of an envelope; `link` is its position among the links of the message's html.
 */
export interface MessageEngagement extends Omit<CampaignEngagement, 'campaignId' | 'subscriberId'> {
  messageId: string
  position: number
}

/** The counters that one event changed, in the order of those given. */
export type SeenEngagement = Pick<
  StoredEngagement,
  'isFirstOpen' | 'isCountedClick' | 'arrives' | 'at'
>

/**
 * Stores the events, and when an envelope was first opened and clicked; those that count prove its
 * delivery. Events of an envelope whose hand-off never started are not stored. `unsubscribedTypes`:
 * types of events without a subscriber (core/events/change-and-publish.ts).
 */
export function recordMessageEngagement(
  db: Database,
  workspaceId: number,
  engagements: MessageEngagement[],
  unsubscribedTypes: readonly string[],
): Promise<(SeenEngagement | null)[]> {
  return rowsInOrder(
    db,
    engagements.length,
    sql`
    with ${subscriptionCheck(workspaceId, unsubscribedTypes)}, requests as materialized (
      select *
      from ${rowList(
        engagements,
        't',
        { ...engagementColumns, uuid: ['id', 'messageId'], smallint: ['position'] },
        'place',
      )}
      where not (select is_subscribed from subscribed)
    ), locked as materialized (
      -- Locked in the order in which outcomes and feedback are written.
      select v.*, r.*, greatest(facteur_now(), r.opened_at) as at,
        row_number() over (partition by v.message_id, v.position,
          v.visitor <> 'scanner' order by v.place) as nth
      from (select * from requests v order by message_id, position, place) v
      cross join lateral (
        select address_key, status, opened_at from recipient
        where workspace_id = ${workspaceId} and message_id = v.message_id and position = v.position
          and attempts > 0
        for update
      ) r
    ), kept as (
      insert into engagement (workspace_id, id, message_id, recipient_position, kind, link_position, visitor,
        device, os, client, user_agent, ip, at)
      select ${workspaceId}, id, message_id, position, kind, link, visitor, device, os, client,
        -- An erased contact counts, without details.
        case when address_key <> ${erasedAddress} then user_agent else '' end,
          case when address_key <> ${erasedAddress} then address end, at
      from locked
    ), changed as (
    update recipient r set
      opened_at = coalesce(r.opened_at, p.at),
      clicked_at = coalesce(r.clicked_at, p.clicked_at),
      -- A mail that was read has arrived (semantics 2): doubt and further tries end, unless a holder
      -- still waits for its answer.
      status = case when r.status in ('queued', 'sent', 'failed') then 'delivered' else r.status end,
      error = case when r.status in ('queued', 'sent', 'failed') then null else r.error end,
      cause = case when r.status in ('queued', 'sent', 'failed') then null else r.cause end,
      sent_at = coalesce(r.sent_at, p.at),
      delivered_at = coalesce(r.delivered_at, p.at),
      -- A delivery that was assumed is known from now on.
      delivered_by = coalesce(case when r.delivered_by = 'silence' and r.status = 'delivered' then null
        else r.delivered_by end,
        case when p.clicked_at is null then 'open' else 'click' end),
      state = case when r.state = 'leased' then 'leased' else 'settled' end
    from (
      select message_id, position, min(at) as at, min(at) filter (where kind = 'click') as clicked_at
      from locked where visitor <> 'scanner' group by message_id, position
    ) p
    where r.workspace_id = ${workspaceId} and r.message_id = p.message_id and r.position = p.position
    )
    select place, at, visitor <> 'scanner' and nth = 1 and opened_at is null as is_first_open,
      visitor <> 'scanner' and kind = 'click' as is_counted_click,
      visitor <> 'scanner' and nth = 1 and status in ('queued', 'sent', 'failed') as arrives,
      is_subscribed
    from subscribed left join locked on true`,
  )
}

async function rowsInOrder(
  db: Database,
  count: number,
  statement: Statement,
): Promise<(SeenEngagement | null)[]> {
  const result = await rowsUnlessSubscribed<SeenEngagement & { place: number }>(
    db,
    'place',
    statement,
  )
  const rows = new Map(result.map((row) => [row.place, row]))
  return Array.from({ length: count }, (_, index) => rows.get(index + 1) ?? null)
}

/** The html with the links of this message's clicks. Null if there is none, or no such message. */
export function messageHtml(
  db: Database,
  workspaceId: number,
  messageId: string,
): Promise<string | null> {
  return db.value<string>(sql`
    select html from message_body where workspace_id = ${workspaceId} and message_id = ${messageId}`)
}
