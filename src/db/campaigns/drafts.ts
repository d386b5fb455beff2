/** Drafts as their editor saves them: the typed content, finished or not, by version. */
import type { CampaignMail } from '../../contract/campaign-fields.ts'
import type { CampaignStatus } from '../../contract/campaigns.ts'
import { part, type Fragment } from '../../database/client/fragment.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import {
  columnsOfReaders,
  mailColumns,
  mailRecord,
  selectedMail,
  writtenOfReaders,
} from './campaign-columns.ts'

export interface DraftRow extends CampaignMail {
  id: string
  status: CampaignStatus
  version: number
  /** The state that the editor saved. Null means another call wrote the campaign since. */
  typed: unknown
  unfinished: boolean
  savedAt: Date
  savedBy: string | null
}

/** Null when the workspace has no such campaign. */
export function draftById(db: Database, workspaceId: number, id: string): Promise<DraftRow | null> {
  return db.row<DraftRow>(sql`
    select c.id, c.status, c.version, c.draft as typed, c.unfinished, c.updated_at as saved_at, c.saved_by,
      ${selectedMail}
    from campaign c where workspace_id = ${workspaceId} and id = ${id}`)
}

export interface DraftToSave {
  id: string
  /** The version that it is based on. */
  version: number
  /** JSON of the state that its editor goes on from. Null means from the mail. */
  typed: string | null
  /** The address of the user. Null means a program. */
  savedBy: string | null
}

export interface DraftSaved {
  version: number
  savedAt: Date
}

/**
 * Stores a finished draft: the mail to send beside the typed content. Null when it is not a draft
 * of this version any more.
 */
export function saveFinished(
  db: Database,
  workspaceId: number,
  { mail, ...draft }: DraftToSave & { mail: CampaignMail },
): Promise<DraftSaved | null> {
  const populated = part`json_populate_record(null::campaign, ${mailRecord(mail)}::json)`
  const changes = part`(${mailColumns}) = (select ${mailColumns} from ${populated}), unfinished = false,
      changes = c.changes + (select count(*) from ${populated}
        where json_build_array(${writtenOfReaders})::text <> json_build_array(${columnsOfReaders})::text)`
  return saveDraft(db, workspaceId, draft, changes)
}

/**
 * Stores only the typed content: the draft cannot be sent until it is finished. If `name` is null,
 * it stays.
 */
export function saveUnfinished(
  db: Database,
  workspaceId: number,
  { name, ...draft }: DraftToSave & { name: string | null },
): Promise<DraftSaved | null> {
  return saveDraft(db, workspaceId, draft, part`name = coalesce(${name}, name), unfinished = true`)
}

function saveDraft(
  db: Database,
  workspaceId: number,
  draft: DraftToSave,
  changes: Fragment,
): Promise<DraftSaved | null> {
  return db.row<DraftSaved>(sql`
    update campaign c
    set ${changes}, draft = ${draft.typed}::json, saved_by = ${draft.savedBy},
      content_changed_by = coalesce(${draft.savedBy}, saved_by, content_changed_by), version = version + 1,
      updated_at = date_trunc('milliseconds', facteur_now())
    where workspace_id = ${workspaceId} and id = ${draft.id} and status = 'draft'
      and version = ${draft.version}
    returning version, updated_at as saved_at`)
}

/** Copies the original's typed content, under the copy's name. */
export async function copyTyped(
  db: Database,
  workspaceId: number,
  { from, to, name }: { from: string; to: string; name: string },
): Promise<void> {
  await db.count(sql`
    update campaign c
    set draft = (o.draft::jsonb || jsonb_build_object('name', ${name}::text))::json, unfinished = o.unfinished
    from campaign o
    where c.workspace_id = ${workspaceId} and c.id = ${to} and o.workspace_id = ${workspaceId}
      and o.id = ${from}`)
}
