/** Campaigns: their content, their state, and the sums of their ledger and their tallies. */
import type { CampaignMail, StoredCampaign } from '../../contract/campaign-fields.ts'
import type { CampaignCounts, CampaignProgress, CampaignStatus } from '../../contract/campaigns.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import { fromNewestEnd } from '../../database/planner/moved-rows.ts'
import { selectedTopic } from '../audience/topic-campaigns.ts'
import { mailColumns, mailRecord, selectedLines } from './campaign-columns.ts'

export interface CampaignRow extends Omit<StoredCampaign, 'source'> {
  id: string
  status: CampaignStatus
  /** Its editor saved something that cannot be sent; the other fields hold the previous version. */
  unfinished: boolean
  /** Null means none. Its name is that of the freeze, then that of now. */
  topicId: string | null
  topicName: string | null
  /** How many who did not get the topic were left out. Null until the freeze. */
  topicLeft: number | null
  /** It has a topic or an audience: it goes to fewer than everybody subscribed. */
  isTargeted: boolean
  /** Of its segment, or its tags. Null if it only leaves some out, or goes to everybody. */
  audienceName: string | null
  /** Null if it has no audience. */
  exclusions: number | null
  /** Of an unfinished draft: the subject in the editor. */
  typedSubject: string | null
  scheduledAt: Date | null
  pausedAt: Date | null
  pauseReason: string | null
  /** Why it became a draft again without a user's act. */
  notice: string | null
  /** No hand-off happens before: the undo window. */
  heldUntil: Date | null
  /** Null while it has no list. */
  frozenAt: Date | null
  sentAt: Date | null
  completedAt: Date | null
  canceledAt: Date | null
  createdAt: Date
  updatedAt: Date
  /** The frozen list; 0 before there is one. */
  recipients: number
  progress: CampaignProgress
  /** Of the failed: those that were still pending when it was cancelled. */
  cancelled: number
  /** The counters that exist; the others are absent. */
  counted: Partial<Omit<CampaignCounts, 'recipients'>>
  /**
   * Of the delivered: those without a report, of which no bounce came. Null means a version froze
   * the list that did not count them.
   */
  assumed: number | null
  /** Of the delivered: those known by an open or a click alone. */
  engaged: number
  /** Of the opened: first through a privacy relay. */
  relayed: number
}

/** `savedBy`: the member's address; null: a program or a command. */
export async function insertCampaign(
  db: Database,
  workspaceId: number,
  campaign: CampaignMail & { id: string; savedBy: string | null },
): Promise<void> {
  await db.count(sql`
    insert into campaign (workspace_id, id, ${mailColumns}, saved_by, content_changed_by, status, created_at,
      updated_at)
    select ${workspaceId}, ${campaign.id}, ${mailColumns}, ${campaign.savedBy}, ${campaign.savedBy}, 'draft',
      at.now, at.now
    from json_populate_record(null::campaign, ${mailRecord(campaign)}::json) v,
      (select date_trunc('milliseconds', facteur_now()) as now) at`)
}

/** Campaigns of the workspace with these identifiers, newest first. */
export function campaignsById(
  db: Database,
  workspaceId: number,
  ids: string[],
): Promise<CampaignRow[]> {
  return db.rows<CampaignRow>(sql`
    select c.id, ${selectedLines}, c.status, c.unfinished,
      case when c.unfinished then c.draft->>'subject' end as typed_subject,
      c.scheduled_at, c.paused_at, c.pause_reason, c.notice, c.held_until,
      ${selectedTopic},
      c.audience is not null or c.topic_id is not null as is_targeted,
      coalesce((select name from segment
          where workspace_id = ${workspaceId} and id = (c.audience -> 'to' ->> 'segment')::uuid),
        (select f ->> 'name' from json_array_elements(c.frozen_audience -> 'segments') f
          where f ->> 'id' = c.audience -> 'to' ->> 'segment' limit 1),
        (select string_agg(tag, ', ') from json_array_elements_text(c.audience -> 'to' -> 'tags') t (tag)))
        as audience_name,
      json_array_length(c.audience -> 'except') as exclusions,
      c.frozen_at, c.sent_at, c.completed_at, c.canceled_at,
      c.created_at, c.updated_at,
      coalesce(p.recipients, 0) as recipients,
      json_build_object('pending', coalesce(p.pending, 0), 'sent', coalesce(p.sent, 0), 'failed',
        coalesce(p.failed, 0),
        'suppressed', coalesce(p.suppressed, 0), 'in_doubt', coalesce(p.in_doubt, 0)) as progress,
      coalesce(t.cancelled, 0) as cancelled, coalesce(t.counted, '{}'::json) as counted,
      t.assumed, coalesce(t.engaged, 0) as engaged, coalesce(t.relayed, 0) as relayed
    from campaign c
    left join lateral (
      select campaign_run.*
      from campaign_run ${fromNewestEnd}
      where workspace_id = ${workspaceId} and campaign_id = c.id
      order by moved_at desc
      limit 1) p
        on true
    cross join lateral (
      select json_object_agg(measure,
        count) filter (where measure <> all (array['cancelled', 'assumed', 'engaged', 'relayed']))
          as counted,
        max(count) filter (where measure = 'cancelled') as cancelled,
          max(count) filter (where measure = 'assumed') as assumed,
        max(count) filter (where measure = 'engaged') as engaged,
        max(count) filter (where measure = 'relayed') as relayed
      from campaign_tally
      where workspace_id = ${workspaceId} and campaign_id = c.id and label = ''
        and measure = any (array['delivered', 'opened', 'clicked', 'bounced', 'complained', 'unsubscribed',
        'cancelled', 'assumed', 'engaged', 'relayed'])
    ) t
    where c.workspace_id = ${workspaceId} and c.id = any (${ids}::uuid[])
    order by c.id desc`)
}

/**
 * Identifiers newest first, before one on. They grow with time (ids.ts), so the last one is this
 * list's place.
 */
export function campaignIds(
  db: Database,
  workspaceId: number,
  page: { status: CampaignStatus | null; max: number; before: string | null },
): Promise<string[]> {
  const before = page.before ?? 'ffffffff-ffff-ffff-ffff-ffffffffffff'
  // With and without a status, the statement needs two indexes; one plan could not use both.
  return db.column<string>(
    page.status === null
      ? sql`
        select id
        from campaign
        where workspace_id = ${workspaceId} and id < ${before}::uuid
        order by id desc
        limit ${page.max}`
      : sql`
        select id
        from campaign
        where workspace_id = ${workspaceId} and status = ${page.status} and id < ${before}::uuid
        order by id desc limit ${page.max}`,
  )
}

/** The source that was written; null when there is no such campaign. */
export function campaignSource(
  db: Database,
  workspaceId: number,
  id: string,
): Promise<{ source: unknown } | null> {
  return db.row<{ source: unknown }>(
    sql`select source from campaign where workspace_id = ${workspaceId} and id = ${id}`,
  )
}

/** The compiled mail as it was frozen; null when it was not, or there is no such campaign. */
export function compiledCampaign(db: Database, workspaceId: number, id: string): Promise<unknown> {
  return db.value<unknown>(
    sql`select compiled from campaign where workspace_id = ${workspaceId} and id = ${id}`,
  )
}
