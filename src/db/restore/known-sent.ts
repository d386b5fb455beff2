/**
 * Mail of a restored backup that an event file says has left since: it counts as sent, so that no
 * release sends it again.
 */
import { fragment, rowList, rowShape, type Fragment } from '../../database/client/fragment.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import type { CampaignMove, CampaignTarget } from '../feedback/campaign-feedback.ts'

export interface LeftMessage {
  messageId: string
  /** Lower-cased; each pair once. */
  email: string
  status: string
  error: string | null
  at: Date
}

/**
 * Whether the known status of `k` is further than that of row `r`, in the order of `nextStatus`.
 */
const isFurther = fragment`${rankOf(fragment`k.status`)} > ${rankOf(fragment`r.status`)}`

function rankOf(status: Fragment): Fragment {
  return fragment`array_position(
        array['queued', 'suppressed', 'sent', 'failed', 'delivered', 'bounced', 'complained'], ${status})`
}

const knownMessages = rowShape<LeftMessage>('k', {
  uuid: ['messageId'],
  text: ['email', 'status', 'error'],
  timestamptz: ['at'],
})

/** A recipient of a single message whose status is known now. `email`: lower-cased. */
export interface FinalizedMessage {
  email: string
  wasWithheld: boolean
  notice: boolean
  status: string
  was: string
}

/**
 * Gives held recipients of single messages the status that is known, where it is more advanced.
 * Answers those that were held still, for whom no other outcome has counted a hand-off, and whether
 * each is a notice, which counts in no reputation.
 */
export function finalizeKnownMessages(
  tx: Database,
  workspaceId: number,
  mails: LeftMessage[],
): Promise<FinalizedMessage[]> {
  return tx.rows<FinalizedMessage>(sql`
    with known as materialized (
      select r.message_id, r.position, r.state <> 'settled' as was_withheld, r.status as was, k.status,
        k.error,
        k.at, m.notice
      from ${knownMessages(mails)}
      join recipient r on r.workspace_id = ${workspaceId} and r.message_id = k.message_id
        and r.address_key = k.email and r.lane = 'held'
      join message m on m.workspace_id = ${workspaceId} and m.id = k.message_id
      where ${isFurther}
      order by r.message_id, r.position for update of r
    ), settled as (
      update recipient r
      set state = 'settled', status = k.status, fence = r.fence + 1, attempts = greatest(r.attempts, 1),
        sent_at = coalesce(r.sent_at, k.at), settled_at = coalesce(r.settled_at, facteur_now()),
        error = k.error, cause = case when k.error is not null then 'refused' end,
        bounce = case when k.status = 'bounced' then 'hard' end,
        delivered_at = case
          when k.status in ('delivered', 'complained') then coalesce(r.delivered_at, k.at)
          else r.delivered_at end,
        delivered_by = case
          when k.status in ('delivered', 'complained') then coalesce(r.delivered_by, 'feedback')
          else r.delivered_by end
      from known k
      where r.workspace_id = ${workspaceId} and r.message_id = k.message_id and r.position = k.position
      returning r.address_key, k.was_withheld, k.notice, k.status, k.was
    )
    select address_key as email, was_withheld, notice, status, was from settled`)
}

interface LeftRecipient extends CampaignTarget {
  status: string
  at: Date
}

const knownRecipients = rowShape<LeftRecipient>('k', {
  uuid: ['campaignId', 'subscriberId'],
  text: ['status'],
  timestamptz: ['at'],
})

/**
 * Ends the claims that recipients of held campaigns had in the backup, so that their status can be
 * set; the caller holds their runs. Answers which of them exist, with their status in the row, and
 * whether they were held still.
 */
export function openKnownRecipients(
  tx: Database,
  workspaceId: number,
  recipients: LeftRecipient[],
): Promise<
  (Pick<CampaignMove, 'campaignId' | 'subscriberId' | 'known'> & { wasWithheld: boolean })[]
> {
  return tx.rows<
    Pick<CampaignMove, 'campaignId' | 'subscriberId' | 'known'> & { wasWithheld: boolean }
  >(sql`
    with known as materialized (
      select r.campaign_id, r.subscriber_id, r.status, r.state, k.at
      from ${knownRecipients(recipients)}
      join campaign c on c.workspace_id = ${workspaceId} and c.id = k.campaign_id
        and c.pause_reason = 'restore'
      join campaign_recipient r on r.workspace_id = ${workspaceId} and r.campaign_id = k.campaign_id
        and r.subscriber_id = k.subscriber_id
      where ${isFurther}
    ), opened as (
      update campaign_recipient r
      set state = case when r.state = 'leased' then 'pending' else r.state end, fence = r.fence + 1,
        attempts = greatest(r.attempts, 1), sent_at = coalesce(r.sent_at, k.at)
      from known k
      where r.workspace_id = ${workspaceId} and r.campaign_id = k.campaign_id
        and r.subscriber_id = k.subscriber_id and k.state <> 'settled'
    )
    select campaign_id, subscriber_id, status as known, state <> 'settled' as was_withheld from known`)
}

/** Which of these campaigns a restore made drafts again, and nobody has scheduled since. */
export function withheldDrafts(
  tx: Database,
  workspaceId: number,
  campaignIds: string[],
): Promise<string[]> {
  return tx.column<string>(sql`
    select c.id
    from held_work h
    join campaign c on c.workspace_id = ${workspaceId} and c.id = h.id and c.status = 'draft'
    where h.workspace_id = ${workspaceId} and h.kind = 'campaign' and h.was = 'scheduled'
      and h.id = any (${campaignIds}::uuid[])`)
}

/** Adds to what `restore review` lists as known. */
export async function countKnownMessages(
  tx: Database,
  workspaceId: number,
  count: number,
): Promise<void> {
  await tx.count(sql`
    insert into undecided_workspace as u (workspace_id, held_at, known_sent)
    values (${workspaceId}, facteur_now(), ${count})
    on conflict (workspace_id) do update set known_sent = u.known_sent + excluded.known_sent`)
}

export async function countKnownRecipients(
  tx: Database,
  workspaceId: number,
  counts: { campaignId: string; count: number }[],
): Promise<void> {
  await tx.count(sql`
    insert into known_campaign as k (workspace_id, campaign_id, known_sent)
    select ${workspaceId}, n.campaign_id, n.count
    from ${rowList(counts, 'n', { uuid: ['campaignId'], int: ['count'] })}
    order by n.campaign_id
    on conflict (workspace_id, campaign_id) do update set known_sent = k.known_sent + excluded.known_sent`)
}
