/**
 * Pages of a campaign's frozen list: read in the order of its key, a bounded stretch at a time, or
 * by the recipients' own identifiers.
 */
import { fragment, part, type Fragment } from '../../database/client/fragment.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import { allowSweeps } from '../../database/planner/allow-sweeps.ts'
import { unpackIds, type SelectedIds } from '../audience/segments/selected-ids.ts'
import type { CampaignKey } from './campaign-key.ts'
import type { RecipientWanted } from '../../contract/workspace/campaign-recipients.ts'
import type { FailureCause } from '../sending/failure-causes.ts'
import type { BounceClass } from '../../contract/emails.ts'

export interface ListedRecipient {
  subscriberId: string
  email: string
  /** The contact's name today. Null if there is none, or erased. */
  firstName: string | null
  lastName: string | null
  /** The counter of progress that includes it. */
  place: 'pending' | 'sent' | 'failed' | 'suppressed' | 'in_doubt'
  status: string
  error: string | null
  cause: FailureCause | null
  /** The provider's last response. */
  response: string | null
  bounce: BounceClass | null
  attempts: number
  /** For postponed recipients: when they are tried again. */
  nextAt: Date | null
  sentAt: Date | null
  deliveredAt: Date | null
  deliveredBy: string | null
  openedAt: Date | null
  clickedAt: Date | null
  unsubscribedAt: Date | null
}

/** The stretch of the list to read, and the recipients that are wanted. */
interface Stretch {
  after: string
  /** How many rows are read. */
  scanMax: number
  /** The stretch ends after this many wanted recipients. */
  max: number
  filter: RecipientWanted | null
}

/**
 * The recipients found, in the order of the list, and the last one that was read (null at the end).
 */
export interface FoundRecipient {
  matches: ListedRecipient[]
  scannedTo: string | null
}

/** Reads up to `scanMax` candidates behind `after`, for the first `max` that pass the filter. */
export function findRecipients(
  db: Database,
  campaign: CampaignKey,
  stretch: Stretch,
): Promise<FoundRecipient> {
  const likely = likelyOf(stretch.filter)
  return likely
    ? findAmongLikely(db, campaign, stretch, likely)
    : findAmongAll(db, campaign, stretch)
}

/** Whether few recipients are wanted and another table than the list knows the candidates. */
export const areKnownElsewhere = (filter: RecipientWanted | null): boolean =>
  likelyOf(filter) !== null

type ListLikely = (
  db: Database,
  campaign: CampaignKey,
  page: { after: string; max: number },
) => Promise<string[]>

/** The candidates in the order of the list: all that are wanted, and perhaps some that were. */
function likelyOf(filter: RecipientWanted | null): ListLikely | null {
  switch (filter) {
    case 'failed':
    case 'cancelled':
    case 'suppressed':
      return withError
    case 'bounced':
    case 'complained':
      return withFailure(filter)
    case 'opened':
      return visitors
    case 'clicked':
      return clickers
    case 'unsubscribed':
      return leavers
    default:
      return null
  }
}

/**
 * Most candidates are wanted: twice as many as are missing are looked up at first, and more only if
 * these were not enough.
 */
async function findAmongLikely(
  db: Database,
  campaign: CampaignKey,
  stretch: Stretch,
  list: ListLikely,
): Promise<FoundRecipient> {
  const { scanMax, max, filter } = stretch
  const matches: ListedRecipient[] = []
  let { after } = stretch
  for (let read = 0, size = 2 * max; read < scanMax; size *= 4) {
    const request = Math.min(size, scanMax - read)
    const ids = await list(db, campaign, { after, max: request })
    const rows = await recipientsAmong(db, campaign, ids)
    matches.push(...rows.filter((row) => isWanted(row, filter)))
    const last = ids.at(-1)
    if (ids.length < request || last === undefined)
      return { matches: matches.slice(0, max), scannedTo: null }
    read += ids.length
    after = last
    if (matches.length >= max) break
  }
  return { matches: matches.slice(0, max), scannedTo: after }
}

/** The subscribers of a table's rows. */
const subscribersOf =
  (rows: Fragment, condition: Fragment): ListLikely =>
  (db, { workspaceId, campaignId }, { after, max }) =>
    db.column(sql`
      select ${rows}
      where workspace_id = ${workspaceId} and campaign_id = ${campaignId} and subscriber_id > ${after}::uuid
        and ${condition}
      order by subscriber_id limit ${max}`)

/** The reason why a recipient was not sent is always stored (0021). */
const withError = subscribersOf(
  fragment`subscriber_id from campaign_recipient`,
  fragment`error is not null`,
)
const leavers = subscribersOf(
  fragment`subscriber_id from campaign_recipient`,
  fragment`unsubscribed_at is not null`,
)
const withFailure = (status: string) =>
  subscribersOf(fragment`subscriber_id from campaign_failure`, part`status = ${status}`)

/** Recipients who opened have engagement, as have programs that scan mail. */
const visitors = subscribersOf(fragment`distinct subscriber_id from engagement`, fragment`true`)
const clickers = subscribersOf(
  fragment`distinct subscriber_id from engagement`,
  fragment`kind = 'click' and visitor <> 'scanner'`,
)

/** Most of a list, or recipients that no other table knows. */
async function findAmongAll(
  db: Database,
  campaign: CampaignKey,
  stretch: Stretch,
): Promise<FoundRecipient> {
  const { workspaceId, campaignId } = campaign
  const { after, scanMax, max, filter } = stretch
  const [row] = await db.rows<{ ids: string[]; scannedTo: string | null }>(sql`
    with bound as materialized (
      select subscriber_id from campaign_recipient
      where workspace_id = ${workspaceId} and campaign_id = ${campaignId} and subscriber_id > ${after}::uuid
      order by subscriber_id offset ${scanMax}::int - 1 limit 1
    )
    select (select subscriber_id from bound) as scanned_to, array(
      select subscriber_id from campaign_recipient
      where workspace_id = ${workspaceId} and campaign_id = ${campaignId} and subscriber_id > ${after}::uuid
        and subscriber_id <= coalesce((select subscriber_id from bound),
        'ffffffff-ffff-ffff-ffff-ffffffffffff')
        and case ${filter}::text
          when 'delivered' then status in ('delivered', 'complained')
          else coalesce(campaign_place(state, status, sent_at) = ${filter}, true) end
      order by subscriber_id limit ${max}
    ) as ids`)
  return {
    matches: await recipientsAmong(db, campaign, row?.ids ?? []),
    scannedTo: row?.scannedTo ?? null,
  }
}

/** Whether a recipient of the list is wanted. Null if all are. */
export function isWanted(row: ListedRecipient, filter: RecipientWanted | null): boolean {
  switch (filter) {
    case null:
      return true
    case 'opened':
      return row.openedAt !== null
    case 'clicked':
      return row.clickedAt !== null
    case 'unsubscribed':
      return row.unsubscribedAt !== null
    case 'delivered':
      return row.status === 'delivered' || row.status === 'complained'
    case 'bounced':
    case 'complained':
      return row.status === filter
    case 'failed':
      return row.place === 'failed' && row.cause !== 'cancelled'
    case 'cancelled':
      return row.place === 'failed' && row.cause === 'cancelled'
    default:
      return row.place === filter
  }
}

/** All that are wanted, at one moment, in the order of the list; as `isWanted`. */
export async function wantedIds(
  tx: Database,
  { workspaceId, campaignId }: CampaignKey,
  filter: RecipientWanted | null,
  timeoutMs: number,
): Promise<SelectedIds> {
  const long = await allowSweeps(tx, timeoutMs)
  const bytes = await tx.value<Buffer | null>(
    long(sql`
      select string_agg(uuid_send(subscriber_id), ''::bytea order by subscriber_id) as ids
      from campaign_recipient
      where workspace_id = ${workspaceId} and campaign_id = ${campaignId}
        and case coalesce(${filter}::text, '')
          when '' then true
          when 'opened' then opened_at is not null
          when 'clicked' then clicked_at is not null
          when 'unsubscribed' then unsubscribed_at is not null
          when 'delivered' then status in ('delivered', 'complained')
          when 'bounced' then status = 'bounced'
          when 'complained' then status = 'complained'
          when 'failed' then campaign_place(state, status, sent_at) = 'failed'
            and cause is distinct from 'cancelled'
          when 'cancelled' then campaign_place(state, status, sent_at) = 'failed'
            and cause = 'cancelled'
          else campaign_place(state, status, sent_at) = ${filter}::text end`),
  )
  return unpackIds(bytes)
}

/** Those of these subscribers that are on the list, in its order. */
export function recipientsAmong(
  db: Database,
  { workspaceId, campaignId }: CampaignKey,
  subscriberIds: string[],
): Promise<ListedRecipient[]> {
  return db.rows<ListedRecipient>(sql`
    select r.subscriber_id, r.email, s.first_name, s.last_name,
      campaign_place(r.state, r.status, r.sent_at) as place, r.status, r.error, r.cause, r.response, r.bounce,
        r.attempts,
      case when r.state = 'pending' then r.next_at end as next_at, r.sent_at, r.delivered_at,
      r.delivered_by, r.opened_at, r.clicked_at, r.unsubscribed_at
    from unnest(${subscriberIds}::uuid[]) as asked (id)
    cross join lateral (
      select * from campaign_recipient
      where workspace_id = ${workspaceId} and campaign_id = ${campaignId} and subscriber_id = asked.id limit 1
    ) r
    -- One look-up by key each: a join might read every recipient.
    left join lateral (select first_name, last_name
      from subscriber
      where workspace_id = ${workspaceId} and id = r.subscriber_id
      limit 1) s
      on true
    order by r.subscriber_id`)
}
