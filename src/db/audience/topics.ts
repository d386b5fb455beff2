/** The topics of a workspace, twenty at most. */
import { fragment } from '../../database/client/fragment.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'

export interface SubscriptionTopicRow {
  id: string
  name: string
  description: string | null
  /** Whether a contact who never chose gets its campaigns. */
  byDefault: boolean
  createdAt: Date
}

const topicColumns = fragment`id, name, description, by_default, created_at`

/** All of them, in the order in which they were made. */
export function subscriptionTopics(
  db: Database,
  workspaceId: number,
): Promise<SubscriptionTopicRow[]> {
  return db.rows<SubscriptionTopicRow>(sql`
    select ${topicColumns} from topic where workspace_id = ${workspaceId} order by id`)
}

export function topicById(
  db: Database,
  workspaceId: number,
  id: string,
): Promise<SubscriptionTopicRow | null> {
  return db.row<SubscriptionTopicRow>(sql`
    select ${topicColumns} from topic where workspace_id = ${workspaceId} and id = ${id}`)
}

/** Those of these topics that are there; they stay until the transaction ends. */
export function keepTopics(tx: Database, workspaceId: number, ids: string[]): Promise<string[]> {
  return tx.column<string>(sql`
    select id from topic where workspace_id = ${workspaceId} and id = any (${ids}::uuid[])
    order by id for key share`)
}

/** Null when another topic has the name. */
export function insertTopic(
  tx: Database,
  workspaceId: number,
  topic: Omit<SubscriptionTopicRow, 'createdAt'>,
): Promise<SubscriptionTopicRow | null> {
  return tx.row<SubscriptionTopicRow>(sql`
    insert into topic (workspace_id, id, name, description, by_default, created_at)
    values (${workspaceId}, ${topic.id}, ${topic.name}, ${topic.description}, ${topic.byDefault},
      date_trunc('milliseconds', facteur_now()))
    on conflict (workspace_id, lower(name)) do nothing
    returning ${topicColumns}`)
}

/** Locked for the transaction: no draft and no form takes it up meanwhile. Null when there is none. */
export function lockTopic(
  tx: Database,
  workspaceId: number,
  id: string,
): Promise<SubscriptionTopicRow | null> {
  return tx.row<SubscriptionTopicRow>(sql`
    select ${topicColumns} from topic where workspace_id = ${workspaceId} and id = ${id} for update`)
}

/** Fails with 23505 when another topic has the name. */
export async function writeTopic(
  tx: Database,
  workspaceId: number,
  topic: Pick<SubscriptionTopicRow, 'id' | 'name' | 'description'>,
): Promise<void> {
  await tx.count(sql`
    update topic set name = ${topic.name}, description = ${topic.description}
    where workspace_id = ${workspaceId} and id = ${topic.id}`)
}

/** Whether a form, or a campaign that is not sent yet and asks who left, is for the topic. */
export function isTopicInUse(tx: Database, workspaceId: number, id: string): Promise<boolean> {
  return tx.onlyValue<boolean>(sql`
    select exists (
        select from campaign
        where workspace_id = ${workspaceId} and status in ('draft', 'scheduled', 'sending')
          and topic_id = ${id}::uuid)
      or exists (
        select from sign_up_form where workspace_id = ${workspaceId} and ${id}::uuid = any (topics)) as used`)
}

/** With the choices of contacts. */
export async function deleteTopicRow(tx: Database, workspaceId: number, id: string): Promise<void> {
  await tx.count(
    sql`delete from topic_choice where workspace_id = ${workspaceId} and topic_id = ${id}`,
  )
  await tx.count(sql`delete from topic where workspace_id = ${workspaceId} and id = ${id}`)
}
