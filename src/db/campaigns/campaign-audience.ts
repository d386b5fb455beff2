/** The audience of a campaign: whom it goes to, and whom it leaves out by which reason. */
import type { Audience } from '../../contract/workspace/campaign-audience.ts'
import type { Condition } from '../../contract/segments.ts'
import { allowSweeps } from '../../database/planner/allow-sweeps.ts'
import { fragment, part, type Fragment } from '../../database/client/fragment.ts'
import { sql, unprepared } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import { compileTogether } from '../audience/segments/compile-definition.ts'
import type { DefinitionContext } from '../audience/segments/compiling.ts'
import type { FrozenSegment } from '../audience/segments/named-segments.ts'
import { isFrozenByIt } from '../audience/topic-campaigns.ts'
import { getsTopic, joinTopicChoice } from '../audience/topic-choices.ts'
import type { SubscriptionTopicRow } from '../audience/topics.ts'
import type { CampaignKey } from './campaign-key.ts'
import { mayBecomeDraft } from '../audience/may-become-draft.ts'

/** The conditions of an audience, as a count and a freeze read them. */
export interface AudienceConditions {
  context: DefinitionContext
  /** Null means everybody. */
  to: Condition | null
  /** Null means none. */
  topic: TopicOfCampaign | null
  /** A contact is left out by the first that holds, then by the topic. */
  except: Condition[]
}

export type TopicOfCampaign = Pick<SubscriptionTopicRow, 'id' | 'name' | 'byDefault'>

export interface AudienceRow {
  /** Null means everybody subscribed. */
  audience: Audience | null
  /** Null until its list is frozen. */
  frozen: FrozenAudience | null
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
    select c.audience, case when ${isFrozenByIt} then c.frozen_audience end as frozen, c.topic_id,
      case when t.id is not null then
      json_build_object('id', t.id, 'name', t.name, 'byDefault', t.by_default) end as topic
    from campaign c
    left join topic t on t.workspace_id = ${workspaceId} and t.id = c.topic_id
    where c.workspace_id = ${workspaceId} and c.id = ${campaignId}`)
}

/** False where it is no draft. */
export function setAudience(
  db: Database,
  { workspaceId, campaignId }: CampaignKey,
  audience: Audience | null,
): Promise<boolean> {
  return db.changes(sql`
    update campaign
    set audience = ${audience && JSON.stringify(audience)}::json,
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

/**
 * Not suppressed by the workspace or by the platform. Digests are computed only if the workspace
 * has erased contacts with suppressed addresses.
 */
export const isUnsuppressed = (workspaceId: number): Fragment => part`
        not exists (select from suppression x where x.workspace_id = ${workspaceId} and x.email = s.email)
        and not exists (select from platform_suppression x where x.email = s.email)
        and ((select erasure_salt from workspace where id = ${workspaceId}) is null or not exists (
          select from erased_suppression x
          where x.workspace_id = ${workspaceId}
            and x.digest = facteur_erasure_digest((select erasure_salt
              from workspace
              where id = ${workspaceId}),
            s.email)))`

/** The conditions on `subscriber s`, with the joins that they need. */
interface CompiledConditions {
  joins: Fragment
  /** Null means everybody. */
  to: Fragment | null
  /** Null means no topic. */
  getsTopic: Fragment | null
  except: Fragment[]
}

export function compileConditions({
  context,
  to,
  topic,
  except,
}: AudienceConditions): CompiledConditions {
  const compiled = compileTogether(context, [...(to ? [to] : []), ...except])
  const [first = null] = compiled.conditions
  return {
    joins: topic
      ? part`${compiled.joins} ${joinTopicChoice(context.workspaceId, topic)}`
      : compiled.joins,
    to: to && first,
    getsTopic: topic && getsTopic(topic),
    except: to ? compiled.conditions.slice(1) : compiled.conditions,
  }
}

export interface LeftOut {
  /**
   * A status other than `subscribed`, `suppressed`, `platform`, `topic`, or `except.0`: the position
   * of the exclusion.
   */
  why: string
  count: number
}

export interface AudienceReach {
  reachable: number
  leftOut: LeftOut[]
}

/**
 * Counts each contact of `to` once: by its status, then by its suppression, then by the first
 * exclusion, then by the topic. Rejects with the SQLSTATE 57014 after `timeoutMs`.
 */
export async function countAudienceOf(
  tx: Database,
  conditions: AudienceConditions,
  timeoutMs: number,
): Promise<AudienceReach> {
  const { workspaceId } = conditions.context
  const { joins, to, getsTopic: gets, except } = compileConditions(conditions)
  const reasons = except.reduce(
    (all, each, index) => part`${all} when ${each} then ${`except.${index}`}::text`,
    fragment``,
  )
  const otherwise = gets ? part`when not ${gets} then 'topic'` : fragment``
  const long = await allowSweeps(tx, timeoutMs)
  const rows = await tx.rows<LeftOut>(
    long(
      unprepared(sql`
        select why, count(*)::int8 as count
        from (
          select case when s.status <> 'subscribed' then s.status
            when exists (select from platform_suppression x where x.email = s.email) then 'platform'
            when not (${isUnsuppressed(workspaceId)}) then 'suppressed'
            ${reasons} ${otherwise} else 'reachable' end as why
          from subscriber s ${joins}
          where s.workspace_id = ${workspaceId} ${to ? part`and ${to}` : fragment``}
        ) contacts
        group by why
        order by why`),
    ),
  )
  return {
    reachable: rows.find(({ why }) => why === 'reachable')?.count ?? 0,
    leftOut: rows.filter(({ why }) => why !== 'reachable'),
  }
}
