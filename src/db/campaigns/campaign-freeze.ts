/**
 * Freezes a campaign's list: one statement stores the subscribers that are in its audience and not
 * suppressed.
 */
import { allowSweeps } from '../../database/planner/allow-sweeps.ts'
import { fragment, part } from '../../database/client/fragment.ts'
import { sql, unprepared } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import {
  compileConditions,
  isUnsuppressed,
  type AudienceConditions,
} from './audience-conditions.ts'
import type { FrozenAudience } from './campaign-audience.ts'
import type { CampaignKey } from './campaign-key.ts'
import type { CampaignStatus } from '../../contract/campaigns.ts'

/**
 * How long the freeze may take: a million recipients take seconds, and nothing else waits for them.
 */
export const freezeTimeoutMs = 600_000

/**
 * How long to wait for another send of the same campaign, in milliseconds. It holds the row until
 * its list is frozen, and a waiting caller holds a connection.
 */
const lockTimeoutMs = 200

export interface LockedCampaign {
  status: CampaignStatus
  /** Seconds since its scheduled time; null while it is not scheduled. */
  overdueSeconds: number | null
  unfinished: boolean
}

/** The SQLSTATE of a row that another transaction holds for too long. */
export const lockNotAvailable = '55P03'

/**
 * Locks the campaign; null when there is none. Fails with `lockNotAvailable` while another send
 * freezes its list.
 */
export async function lockCampaign(
  tx: Database,
  { workspaceId, campaignId }: CampaignKey,
): Promise<LockedCampaign | null> {
  await tx.rows(sql`select set_config('lock_timeout', ${String(lockTimeoutMs)}, true)`)
  const [row] = await tx.rows<LockedCampaign>(sql`
    select status, extract(epoch from facteur_now() - scheduled_at)::float8 as overdue_seconds, unfinished
    from campaign where workspace_id = ${workspaceId} and id = ${campaignId} for update of campaign`)
  // All other locks of the transaction wait the usual time.
  await tx.count(sql`set local lock_timeout to default`)
  return row ?? null
}

/**
 * Lets lists of a workspace freeze at once, but one that reads who waits for a campaign `alone`:
 * it would not read a list that is not committed yet. Until the transaction ends. False while
 * another list is in its way: it never waits, because a waiting caller holds a connection.
 */
export function lockFreezes(tx: Database, workspaceId: number, alone: boolean): Promise<boolean> {
  const lock = alone
    ? fragment`pg_try_advisory_xact_lock`
    : fragment`pg_try_advisory_xact_lock_shared`
  return tx.onlyValue<boolean>(
    sql`select ${lock}(${freezesLock}::int, hashint8(${workspaceId}::bigint))`,
  )
}

/** Any number works that nothing else in this database locks. */
const freezesLock = 7_305_204

/**
 * Freezes the list in the order of its key; answers the number of recipients. A null `audience`
 * means everybody subscribed. Status and suppression decide before it. `lockFreezes()` comes first.
 * Rejects with the SQLSTATE 57014 after `timeoutMs`.
 */
export async function freezeRecipients(
  tx: Database,
  { workspaceId, campaignId }: CampaignKey,
  { audience, timeoutMs }: { audience: AudienceConditions | null; timeoutMs: number } = {
    audience: null,
    timeoutMs: freezeTimeoutMs,
  },
): Promise<number> {
  const long = await allowSweeps(tx, timeoutMs)
  const { joins, condition, flag, leftOut, filter } = audience
    ? partsOf(audience, campaignId)
    : everybody
  const statement = sql`
    with audience as materialized (
      select s.id, s.email ${flag} from subscriber s ${joins}
      where s.workspace_id = ${workspaceId} and s.status = 'subscribed' and ${isUnsuppressed(workspaceId)}
        ${condition}
      order by s.id
    ) ${leftOut}
    insert into campaign_recipient (workspace_id, campaign_id, subscriber_id, email)
    select ${workspaceId}::bigint, ${campaignId}::uuid, id, email from audience ${filter}`
  return tx.count(long(audience ? unprepared(statement) : statement))
}

const none = fragment``
const everybody = { joins: none, condition: none, flag: none, leftOut: none, filter: none }

/**
 * A campaign that began since the conditions were read counts: the transaction reads no one moment,
 * because it waits for rows that others write.
 */
const inOneSnapshot = (audience: AudienceConditions): AudienceConditions => ({
  ...audience,
  context: { ...audience.context, undated: null },
})

/** The same statement counts whom an exclusion or the topic leaves out, by the first that does. */
function partsOf(audience: AudienceConditions, campaignId: string): typeof everybody {
  const { joins, to, reasons } = compileConditions(inOneSnapshot(audience))
  const condition = to ? part`and ${to}` : none
  if (audience.except.length === 0 && !audience.topic) return { ...everybody, joins, condition }
  return {
    ...{ joins, condition, flag: part`, case ${reasons} end as left_by` },
    leftOut: part`, reasons as (
      select left_by, count(*) as contacts
      from audience
      where left_by is not null
      group by left_by
    ), left_out as (
      update campaign
      set topic_left = by_reason.topic, except_left = by_reason.exclusions
      from (
        select ${audience.topic ? leftByTopic : fragment`null::bigint`} as topic,
          coalesce(json_object_agg(left_by, contacts) filter (where left_by <> 'topic'), '{}') as exclusions
        from reasons
      ) by_reason
      where workspace_id = ${audience.context.workspaceId} and id = ${campaignId}
    )`,
    filter: fragment`where left_by is null`,
  }
}

const leftByTopic = fragment`coalesce(sum(contacts) filter (where left_by = 'topic'), 0)::bigint`

/** The values that the freeze gives a campaign. */
export interface Frozen {
  recipients: number
  /** JSON of its compiled mail. */
  compiled: string
  /** The addresses of its links, in the order of its text. */
  links: string[]
  /** Seconds until the first hand-off: the undo window. */
  undoSeconds: number
  canary: Canary | null
  quotaMonth: string
  /** Null means everybody subscribed. */
  audience: FrozenAudience | null
  /** Null means none. */
  topicName: string | null
  /** Of its content and audience (campaign-digest.ts). */
  digest: string
}

/**
 * How many recipients come first, and how long to wait for their feedback before the others follow.
 */
export interface Canary {
  size: number
  seconds: number
}

/**
 * Starts the run of a frozen campaign: its ledger's counters, its links, and the hint that there is
 * work.
 */
export async function beginSending(
  tx: Database,
  { workspaceId, campaignId }: CampaignKey,
  frozen: Frozen,
): Promise<void> {
  await tx.count(sql`
    with at as materialized (
      select date_trunc('milliseconds', facteur_now()) as now,
        date_trunc('milliseconds', facteur_now()) + make_interval(secs => ${frozen.undoSeconds}) as opens,
        (select subscriber_id
          from campaign_recipient
          where workspace_id = ${workspaceId} and campaign_id = ${campaignId}
         order by subscriber_id desc limit 1) as last_id
    ), progress as (
      insert into campaign_run (workspace_id, campaign_id, last_id, opens_at, canary_left, recipients,
        pending)
      select ${workspaceId}, ${campaignId}, at.last_id, at.opens, ${frozen.canary?.size ?? null}::bigint,
        ${frozen.recipients}::bigint, ${frozen.recipients}::bigint
      from at
    ), links as (
      insert into campaign_link (workspace_id, campaign_id, position, url)
      select ${workspaceId}, ${campaignId}, place - 1, url
      from unnest(${frozen.links}::text[]) with ordinality as l (url, place)
    ), counters as (
      -- From here on the sources of deliveries are counted.
      insert into campaign_tally (workspace_id, campaign_id, measure, label, count)
      values (${workspaceId}, ${campaignId}, 'assumed', '', 0)
      on conflict do nothing
    ), hint as (
      insert into due (workspace_id, lane, next_at) select ${workspaceId}, 'campaign', at.opens from at
      on conflict (workspace_id, lane) do update set next_at = excluded.next_at
      where due.next_at > excluded.next_at
    )
    update campaign
    set status = 'sending', compiled = ${frozen.compiled}::json, frozen_at = at.now, updated_at = at.now,
      content_digest = ${frozen.digest}, digested_at = at.now, notice = null,
      held_until = case when ${frozen.undoSeconds}::float8 > 0 then at.opens end,
      canary_size = ${frozen.canary?.size ?? null}, canary_seconds = ${frozen.canary?.seconds ?? null},
      quota_month = ${frozen.quotaMonth}::date,
      -- With the status: the table refuses one that a process froze which knows no audience.
      audience_frozen_at = case when ${frozen.audience !== null}::boolean then at.now end,
      frozen_audience = ${frozen.audience && JSON.stringify(frozen.audience)}::json,
      topic_name = ${frozen.topicName}
    from at where workspace_id = ${workspaceId} and id = ${campaignId}`)
}

/** Writes why a draft that was sent could not start; null: that is over. */
export async function noteDraft(
  db: Database,
  { workspaceId, campaignId }: CampaignKey,
  notice: string | null,
): Promise<void> {
  await db.count(sql`
    update campaign set notice = ${notice}
    where workspace_id = ${workspaceId} and id = ${campaignId} and status = 'draft'`)
}

/** Returns a scheduled campaign that could not start to draft, with the reason. */
export async function returnToDraft(
  tx: Database,
  { workspaceId, campaignId }: CampaignKey,
  notice: string,
): Promise<void> {
  await tx.count(sql`
    update campaign
    set status = 'draft', scheduled_at = null, notice = ${notice},
      updated_at = date_trunc('milliseconds', facteur_now())
    where workspace_id = ${workspaceId} and id = ${campaignId} and status = 'scheduled'`)
}
