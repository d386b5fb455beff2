/** The audience of a campaign as it is stored: chosen in its draft, and as its list was frozen. */
import type { Audience } from '../../contract/workspace/campaign-audience.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import { mayBecomeDraft } from '../audience/may-become-draft.ts'
import type { FrozenSegment } from '../audience/segments/named-segments.ts'
import { isFrozenByIt } from '../audience/topic-campaigns.ts'
import type { SubscriptionTopicRow } from '../audience/topics.ts'
import type { CampaignKey } from './campaign-key.ts'

export type TopicOfCampaign = Pick<SubscriptionTopicRow, 'id' | 'name' | 'byDefault'>

export interface AudienceRow {
  /** Null means everybody subscribed. */
  audience: Audience | null
  /** Null until its list is frozen. */
  frozen: FrozenAudience | null
  /**
   * How many each exclusion left out, as `except.0`; one that left out nobody is absent. Null until
   * its list is frozen, and where a process of the previous version froze it.
   */
  exceptLeft: Record<string, number> | null
  /** Null also where it is gone. */
  topic: TopicOfCampaign | null
  topicId: string | null
}

/** The audience with the definitions and versions that the list was frozen by. */
export interface FrozenAudience extends Audience {
  segments: FrozenSegment[]
  /** RFC 3339: the instant that days are counted back from. */
  at: string
}

export function audienceOfCampaign(
  db: Database,
  { workspaceId, campaignId }: CampaignKey,
): Promise<AudienceRow | null> {
  return db.row<AudienceRow>(sql`
    select c.audience, case when ${isFrozenByIt} then c.frozen_audience end as frozen,
      case when ${isFrozenByIt} then c.except_left end as except_left, c.topic_id,
      case when t.id is not null then
      json_build_object('id', t.id, 'name', t.name, 'byDefault', t.by_default) end as topic
    from campaign c
    left join topic t on t.workspace_id = ${workspaceId} and t.id = c.topic_id
    where c.workspace_id = ${workspaceId} and c.id = ${campaignId}`)
}

/**
 * `changedBy` is the member's address; null means a command, after which the name before stays. It
 * stays too where the audience does. False where it is no draft.
 */
export function setAudience(
  db: Database,
  { workspaceId, campaignId }: CampaignKey,
  audience: Audience | null,
  changedBy: string | null,
): Promise<boolean> {
  const chosen = audience && JSON.stringify(audience)
  return db.changes(sql`
    update campaign
    set audience = ${chosen}::json,
      audience_changed_by = case when audience::jsonb is distinct from ${chosen}::jsonb
        then coalesce(${changedBy}, audience_changed_by) else audience_changed_by end,
      changes = changes + (audience::jsonb is distinct from ${chosen}::jsonb)::int,
      updated_at = date_trunc('milliseconds', facteur_now())
    where workspace_id = ${workspaceId} and id = ${campaignId} and status = 'draft'`)
}

/**
 * A copy has its original's audience and topic, also where its topic is gone: without it, the copy
 * would go to everybody. What the list was frozen by stays with the original.
 */
export async function copyAudience(
  db: Database,
  workspaceId: number,
  { from, to }: { from: string; to: string },
): Promise<void> {
  await db.count(sql`
    update campaign c set audience = o.audience, topic_id = o.topic_id
    from campaign o
    where c.workspace_id = ${workspaceId} and c.id = ${to} and o.workspace_id = ${workspaceId}
      and o.id = ${from}`)
}

/** A few campaigns that would still go to, or leave out, the contacts of a segment. */
export function campaignsWithSegment(
  db: Database,
  workspaceId: number,
  segmentId: string,
): Promise<string[]> {
  return db.column<string>(sql`
    select id
    from campaign
    where workspace_id = ${workspaceId} and ${mayBecomeDraft} and audience is not null
      and (audience -> 'to' ->> 'segment' = ${segmentId}
        or exists (select from json_array_elements(audience -> 'except') e
          where e ->> 'segment' = ${segmentId}))
    order by id
    limit 10`)
}
