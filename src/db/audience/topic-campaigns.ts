/** The topic of a campaign: chosen in its draft, stored with what it left out at its freeze. */
import { fragment } from '../../database/client/fragment.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import { allowSweeps } from '../../database/planner/allow-sweeps.ts'
import { countReachable } from './subscribers.ts'
import { countOtherwise } from './topic-choices.ts'
import type { SubscriptionTopicRow } from './topics.ts'

interface Campaign {
  workspaceId: number
  campaignId: string
}

/** Of `campaign c`, for its answers; the name is that of the freeze, then that of now. */
export const selectedTopic = fragment`c.topic_id, coalesce(c.topic_name, (
        select name from topic t where t.workspace_id = c.workspace_id and t.id = c.topic_id)) as topic_name,
      c.topic_left`

export type TopicOfCampaign = Pick<SubscriptionTopicRow, 'id' | 'name' | 'byDefault'>

/** Null when it is for no topic, so that it goes to everybody subscribed. */
export function topicOfCampaign(
  db: Database,
  { workspaceId, campaignId }: Campaign,
): Promise<TopicOfCampaign | null> {
  return db.row<TopicOfCampaign>(sql`
    select t.id, t.name, t.by_default
    from campaign c
    join topic t on t.workspace_id = ${workspaceId} and t.id = c.topic_id
    where c.workspace_id = ${workspaceId} and c.id = ${campaignId}`)
}

/** False where it is no draft. The caller keeps the topic (`keepTopics`); null: none. */
export function setTopic(
  tx: Database,
  { workspaceId, campaignId }: Campaign,
  topicId: string | null,
): Promise<boolean> {
  return tx.changes(sql`
    update campaign
    set topic_id = ${topicId}::uuid, updated_at = date_trunc('milliseconds', facteur_now())
    where workspace_id = ${workspaceId} and id = ${campaignId} and status = 'draft'`)
}

/** A copy is for its original's topic; one that was deleted since is none. */
export async function copyTopic(
  db: Database,
  workspaceId: number,
  { from, to }: { from: string; to: string },
): Promise<void> {
  await db.count(sql`
    update campaign c set topic_id = t.id
    from campaign o
    join topic t on t.workspace_id = ${workspaceId} and t.id = o.topic_id
    where c.workspace_id = ${workspaceId} and c.id = ${to} and o.workspace_id = ${workspaceId}
      and o.id = ${from}`)
}

/** A million choices are read in a second or two. */
const countTimeoutMs = 60_000

/** How many who can be reached do not get the topic: they left it, or never joined it. */
export async function countLeavers(
  tx: Database,
  workspaceId: number,
  topic: Pick<TopicOfCampaign, 'id' | 'byDefault'>,
): Promise<number> {
  const long = await allowSweeps(tx, countTimeoutMs)
  const otherwise = await countOtherwise(tx, workspaceId, { topic, long })
  return topic.byDefault ? otherwise : (await countReachable(tx, workspaceId)) - otherwise
}

/** Stores the topic's name and how many were left out, in the transaction of the freeze. */
export async function freezeTopic(
  tx: Database,
  { workspaceId, campaignId }: Campaign,
  { name, left }: { name: string; left: number },
): Promise<void> {
  await tx.count(sql`
    update campaign set topic_name = ${name}, topic_left = ${left}::bigint
    where workspace_id = ${workspaceId} and id = ${campaignId}`)
}
