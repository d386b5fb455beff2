/** The topic of a campaign: chosen in its draft, stored with what it left out at its freeze. */
import { fragment } from '../../database/client/fragment.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'

/**
 * Whether what `campaign c` stores of its topic and audience is of its present freeze: a process of
 * the previous version undoes a freeze and leaves it.
 */
export const isFrozenByIt = fragment`c.audience_frozen_at = c.frozen_at`

/** Of `campaign c`, for its answers; the name is that of the freeze, then that of now. */
export const selectedTopic = fragment`c.topic_id, coalesce(case when ${isFrozenByIt} then c.topic_name end, (
        select name from topic t where t.workspace_id = c.workspace_id and t.id = c.topic_id)) as topic_name,
      case when ${isFrozenByIt} then c.topic_left end as topic_left`

/**
 * False where it is no draft. The caller keeps the topic (`keepTopics`); null means none.
 * `changedBy` is as for an audience.
 */
export function setTopic(
  tx: Database,
  { workspaceId, campaignId }: { workspaceId: number; campaignId: string },
  topicId: string | null,
  changedBy: string | null,
): Promise<boolean> {
  return tx.changes(sql`
    update campaign
    set topic_id = ${topicId}::uuid,
      topic_changed_by = case when topic_id is distinct from ${topicId}::uuid
        then coalesce(${changedBy}, topic_changed_by) else topic_changed_by end,
      changes = changes + (topic_id is distinct from ${topicId}::uuid)::int,
      updated_at = date_trunc('milliseconds', facteur_now())
    where workspace_id = ${workspaceId} and id = ${campaignId} and status = 'draft'`)
}
