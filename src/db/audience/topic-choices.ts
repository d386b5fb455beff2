/**
 * What contacts chose on their page or in a form: topics and language. The present choices are for
 * the statements that send; the evidence of each, and of what they asked there, stays as it was
 * written.
 */
import { part, rowList, type Fragment } from '../../database/client/fragment.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import type { ConsentSource } from './consents.ts'
import type { DataAct } from './data-requests.ts'
import type { SubscriptionTopicRow } from './topics.ts'
import type { RecipientLanguage } from '../../ground/texts/languages.ts'

/** A topic as a contact sees it: by their choice, else by its default. */
export interface TopicOfContact {
  id: string
  name: string
  description: string | null
  subscribed: boolean
  /** Whether they have chosen it themselves. */
  isChosen: boolean
}

export function topicsOfContact(
  db: Database,
  workspaceId: number,
  subscriberId: string | null,
): Promise<TopicOfContact[]> {
  return db.rows<TopicOfContact>(sql`
    select t.id, t.name, t.description, coalesce(c.subscribed, t.by_default) as subscribed,
      c.subscribed is not null as is_chosen
    from topic t
    left join topic_choice c on c.workspace_id = ${workspaceId} and c.topic_id = t.id
      and c.subscriber_id = ${subscriberId}::uuid
    where t.workspace_id = ${workspaceId}
    order by t.id`)
}

/** Stores choices by topic; the caller keeps the topics (`keepTopics`). */
export async function writeTopicChoices(
  tx: Database,
  workspaceId: number,
  {
    subscriberId,
    choices,
  }: { subscriberId: string; choices: { id: string; subscribed: boolean }[] },
): Promise<void> {
  await tx.count(sql`
    insert into topic_choice (workspace_id, topic_id, subscriber_id, subscribed, chosen_at)
    select ${workspaceId}::bigint, n.id, ${subscriberId}::uuid, n.subscribed, at.now
    from ${rowList(choices, 'n', { uuid: ['id'], boolean: ['subscribed'] })}
    cross join (select facteur_now() as now) at
    order by n.id
    on conflict (workspace_id, topic_id, subscriber_id) do update
    set subscribed = excluded.subscribed, chosen_at = excluded.chosen_at`)
}

/** The language that the contact chose. Null if there is none. */
export function languageOfContact(
  db: Database,
  workspaceId: number,
  subscriberId: string,
): Promise<RecipientLanguage | null> {
  return db.value<RecipientLanguage>(sql`
    select language from subscriber where workspace_id = ${workspaceId} and id = ${subscriberId}`)
}

export async function writeLanguage(
  tx: Database,
  workspaceId: number,
  { subscriberId, language }: { subscriberId: string; language: RecipientLanguage | null },
): Promise<void> {
  await tx.count(sql`
    update subscriber set language = ${language}::text, updated_at = date_trunc('milliseconds', facteur_now())
    where workspace_id = ${workspaceId} and id = ${subscriberId}
      and language is distinct from ${language}::text`)
}

/** The evidence of one choice, or of a request on their page. */
export interface ChoiceRow {
  id: string
  subscriberId: string
  act: 'topic_joined' | 'topic_left' | 'language_chosen' | DataAct
  /** The topic's name when it was chosen. Null: another choice. */
  topic: string | null
  /** The words beside the choice, and the choice. */
  shown: string
  source: ConsentSource & ('form' | 'link')
  ip: string | null
  userAgent: string | null
  campaignId: string | null
}

export async function insertChoiceEvidence(
  tx: Database,
  workspaceId: number,
  choices: ChoiceRow[],
): Promise<void> {
  await tx.count(sql`
    insert into choice_evidence (workspace_id, id, subscriber_id, campaign_id, act, topic, shown, source, ip,
      user_agent, at)
    select ${workspaceId}::bigint, c.*, at.now
    from ${rowList(choices, 'c', {
      uuid: ['id', 'subscriberId', 'campaignId'],
      text: ['act', 'topic', 'shown', 'source', 'ip', 'userAgent'],
    })}
    cross join (select facteur_now() as now) at`)
}

/** Joins to `subscriber s` what they chose of the topic, which `getsTopic()` reads. */
export const joinTopicChoice = (workspaceId: number, topic: { id: string }): Fragment => part`
    left join topic_choice chosen on chosen.workspace_id = ${workspaceId} and chosen.topic_id = ${topic.id}
      and chosen.subscriber_id = s.id`

/** By their choice, else by its default. */
export const getsTopic = ({ byDefault }: Pick<SubscriptionTopicRow, 'byDefault'>): Fragment =>
  part`coalesce(chosen.subscribed, ${byDefault}::boolean)`
