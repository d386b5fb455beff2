/** The list of campaigns that members look through: by a status, a text and dates, in an order. */
import type { CampaignStatus } from '../../contract/campaigns.ts'
import type { CampaignSort } from '../../contract/workspace/drafts.ts'
import { fragment, part, type Fragment } from '../../database/client/fragment.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'

/** What selects campaigns of any status. */
export interface CampaignFilter {
  /** In name or subject; empty: any. */
  text: string
  /** Null, here and below: no such bound of the date that the list shows. */
  since: string | null
  until: string | null
}

/** Where a page begins: behind this campaign, as the database writes its date and its name. */
export interface CampaignPosition {
  id: string
  date: string
  name: string
}

/** Index expressions of migration 0160. */
const date = fragment`coalesce(scheduled_at, sent_at, updated_at)`
const lowerName = fragment`lower(name)`

const orders = {
  '-created': fragment`id desc`,
  date: fragment`${date} asc, id asc`,
  '-date': fragment`${date} desc, id desc`,
  name: fragment`${lowerName} asc, id asc`,
  '-name': fragment`${lowerName} desc, id desc`,
} as const satisfies Record<CampaignSort, Fragment>

function behind(sort: CampaignSort, position: CampaignPosition | null): Fragment {
  if (position === null) return fragment`true`
  const { id } = position
  switch (sort) {
    case '-created':
      return part`id < ${id}::uuid`
    case 'date':
      return part`(${date}, id) > (${position.date}::timestamptz, ${id}::uuid)`
    case '-date':
      return part`(${date}, id) < (${position.date}::timestamptz, ${id}::uuid)`
    case 'name':
      return part`(${lowerName}, id) > (${position.name}, ${id}::uuid)`
    case '-name':
      return part`(${lowerName}, id) < (${position.name}, ${id}::uuid)`
  }
}

const positionColumns = fragment`id, ${date}::text as date, ${lowerName} as name`

/** In their order; without a status all but the archived. */
export function listedCampaigns(
  db: Database,
  workspaceId: number,
  page: CampaignFilter & {
    status: CampaignStatus | null
    sort: CampaignSort
    position: CampaignPosition | null
    max: number
  },
): Promise<CampaignPosition[]> {
  return db.rows<CampaignPosition>(sql`
    select ${positionColumns}
    from campaign
    where workspace_id = ${workspaceId} and ${behind(page.sort, page.position)}
      and case when ${page.status}::text is null then status <> 'archived' else status = ${page.status} end
      and ${passes(page)}
    order by ${orders[page.sort]}
    limit ${page.max}`)
}

/** Null: there is no such campaign any more. */
export function campaignPosition(
  db: Database,
  workspaceId: number,
  id: string,
): Promise<CampaignPosition | null> {
  return db.row<CampaignPosition>(
    sql`select ${positionColumns} from campaign where workspace_id = ${workspaceId} and id = ${id}`,
  )
}

/** A campaign passes the filter. */
export function passes({ text, since, until }: CampaignFilter): Fragment {
  const hasText =
    text === ''
      ? fragment`true`
      : part`strpos(lower(name || chr(10) || case when unfinished then coalesce(draft->>'subject', subject)
        else subject end), lower(${text})) > 0`
  const from = since === null ? part`` : part` and ${date} >= ${since}::timestamptz`
  const to = until === null ? part`` : part` and ${date} < ${until}::timestamptz`
  return part`${hasText}${from}${to}`
}
