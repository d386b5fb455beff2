/**
 * The digest of a campaign: of all that reaches a reader and of whom it goes to. Two campaigns have
 * one digest only where they are the same mail to the same audience.
 */
import { sql } from '../../database/client/sql.ts'
import { part } from '../../database/client/fragment.ts'
import type { Database } from '../../database/client/database.ts'
import type { CampaignStatus } from '../../contract/campaigns.ts'
import { columnsOfReaders } from './campaign-columns.ts'
import type { CampaignKey } from './campaign-key.ts'

export interface DigestedCampaign {
  status: CampaignStatus
  unfinished: boolean
  /** SHA-256 in hexadecimal. Of a frozen campaign: as it was frozen. */
  digest: string
  /** The members who last changed its content, audience and topic, and its segments. */
  changedBy: string[]
  /** The version of its content, its audience, its topic, and its segments with their versions. */
  details: object
}

/**
 * Reads one snapshot, so that content and audience are of one moment. Null where there is no such
 * campaign.
 */
export function digestedCampaign(
  db: Database,
  { workspaceId, campaignId }: CampaignKey,
): Promise<DigestedCampaign | null> {
  return db.row<DigestedCampaign>(sql`
    select c.status, c.unfinished, array_remove(array[coalesce(c.saved_by, c.content_changed_by),
        c.audience_changed_by, c.topic_changed_by] || s.changed_by, null) as changed_by,
      json_build_object('version', c.version, 'audience', c.audience, 'topic', c.topic_id,
        'segments', s.versions) as details,
      case when c.compiled is null then ${hexadecimal(part`json_build_array(${columnsOfReaders}, w.name,
          w.postal_address, w.language, c.audience, c.topic_id, s.definitions)`)}
        when c.digested_at = c.frozen_at then c.content_digest
        else ${hexadecimal(part`c.compiled`)} end as digest
    from campaign c
    join workspace w on w.id = c.workspace_id
    cross join lateral (
      select
        json_agg(json_build_object('id', s.id, 'name', s.name, 'version', s.version) order by s.id)
          as versions,
        array_agg(s.changed_by) as changed_by,
        json_agg(json_build_array(s.id, s.version, s.definition) order by s.id) as definitions
      from segment s
      where s.workspace_id = ${workspaceId} and s.id::text in (
        select c.audience -> 'to' ->> 'segment'
        union all
        select e ->> 'segment' from json_array_elements(c.audience -> 'except') e)
    ) s
    where c.workspace_id = ${workspaceId} and c.id = ${campaignId}`)
}

const hexadecimal = (json: ReturnType<typeof part>) =>
  part`encode(sha256(convert_to((${json})::text, 'UTF8')), 'hex')`
