/**
 * The conditions of a campaign's audience, for a freeze and a count: whom it goes to, and whom it
 * leaves out by which reason.
 */
import type { Condition } from '../../contract/segments.ts'
import { allowSweeps } from '../../database/planner/allow-sweeps.ts'
import { fragment, part, type Fragment } from '../../database/client/fragment.ts'
import { sql, unprepared } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import { compileTogether } from '../audience/segments/compile-definition.ts'
import type { DefinitionContext } from '../audience/segments/compiling.ts'
import { getsTopic, joinTopicChoice } from '../audience/topic-choices.ts'
import type { TopicOfCampaign } from './campaign-audience.ts'

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
  /** The branches of a `case` that name the first exclusion that holds, then the topic. */
  reasons: Fragment
}

export function compileConditions({
  context,
  to,
  topic,
  except,
}: AudienceConditions): CompiledConditions {
  const { workspaceId } = context
  const compiled = compileTogether(context, [...(to ? [to] : []), ...except])
  const [first = null] = compiled.conditions
  const choice = topic ? joinTopicChoice(workspaceId, topic) : fragment``
  const gets = topic && getsTopic(topic)
  const excluded = to ? compiled.conditions.slice(1) : compiled.conditions
  return {
    joins: part`${compiled.joins} ${choice}`,
    to: to && first,
    getsTopic: gets,
    except: excluded,
    reasons: excluded.reduceRight(
      (others, each, index) => part`when ${each} then ${`except.${index}`}::text ${others}`,
      gets ? part`when not ${gets} then 'topic'` : fragment``,
    ),
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
  const { joins, to, reasons } = compileConditions(conditions)
  const long = await allowSweeps(tx, timeoutMs)
  const rows = await tx.rows<LeftOut>(
    long(
      unprepared(sql`
        select why, count(*)::int8 as count
        from (
          select case when s.status <> 'subscribed' then s.status
            when exists (select from platform_suppression x where x.email = s.email) then 'platform'
            when not (${isUnsuppressed(workspaceId)}) then 'suppressed'
            ${reasons} else 'reachable' end as why
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
