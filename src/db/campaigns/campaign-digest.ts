/**
 * The digest of a campaign: of all that reaches a reader, of whom it goes to, and of how often these
 * became others. What is changed back has another digest.
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
          w.slug, w.postal_address, w.language, w.time_zone, h.hosts, c.audience, c.topic_id, c.changes,
          s.definitions, f.types)`)}
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
    cross join lateral (
      -- A comparison is by the type of its field.
      select json_agg(json_build_array(f.id, f.type, f.choices) order by f.id) as types
      from subscriber_field f
      where f.workspace_id = ${workspaceId} and position(f.id::text in s.definitions::text) > 0
    ) f
    cross join lateral (
      -- Of its links and its bounces. Whether they answer just now is no change of the campaign.
      select json_agg(r.name order by r.name) as hosts
      from dns_record r
      where r.workspace_id = ${workspaceId} and r.domain = split_part(c.from_email, '@', 2) and r.in_use
        and r.purpose in ('return_path', 'tracking')
    ) h
    where c.workspace_id = ${workspaceId} and c.id = ${campaignId}`)
}

const hexadecimal = (json: ReturnType<typeof part>) =>
  part`encode(sha256(convert_to((${json})::text, 'UTF8')), 'hex')`
