/** Drafts as their editor saves them: the typed content, finished or not, by version. */
import type { CampaignStatus } from '../../contract/campaigns.ts'
import type { CampaignDraft } from './campaigns.ts'
import { sql } from '../connection/connect.ts'
import type { Database } from '../connection/connect.ts'

export interface DraftRow extends CampaignDraft {
  id: string
  status: CampaignStatus
  version: number
  /** The state that the editor saved; null: another call wrote the campaign since. */
  typed: unknown
  unfinished: boolean
  savedAt: Date
  savedBy: string | null
}

/** Null when the workspace has no such campaign. */
export async function draftById(db: Database, workspaceId: number, id: string): Promise<DraftRow | null> {
  const [row] = await db.rows<DraftRow>(sql`
    select id, status, version, draft as typed, unfinished, updated_at as "savedAt", saved_by as "savedBy", name, subject, preheader,
      from_name as "fromName", from_email as "fromEmail", format as kind, source, track_opens as "trackOpens", track_clicks as "trackClicks"
    from campaign where workspace_id = ${workspaceId} and id = ${id}`)
  return row ?? null
}

/** The state to save of a draft, finished or not. */
export interface TypedToSave {
  id: string
  /** The version that it is based on. */
  version: number
  /** JSON of the typed content. */
  typed: string
  savedBy: string | null
}

/**
 * Stores the typed content and, since it is finished, the mail to send; null when it is not a draft of this version
 * any more.
 */
export async function saveFinished(
  db: Database,
  workspaceId: number,
  { id, version, typed, savedBy, written }: TypedToSave & { written: CampaignDraft },
): Promise<{ version: number; savedAt: Date } | null> {
  const [saved] = await db.rows<{ version: number; savedAt: Date }>(sql`
    update campaign set name = ${written.name}, subject = ${written.subject}, preheader = ${written.preheader},
      from_name = ${written.fromName}, from_email = ${written.fromEmail}, format = ${written.kind},
      source = ${JSON.stringify(written.source)}::json, track_opens = ${written.trackOpens}, track_clicks = ${written.trackClicks},
      draft = ${typed}::json, unfinished = false, saved_by = ${savedBy}, version = version + 1,
      updated_at = date_trunc('milliseconds', facteur_now())
    where workspace_id = ${workspaceId} and id = ${id} and status = 'draft' and version = ${version}
    returning version, updated_at as "savedAt"`)
  return saved ?? null
}

/** Stores only the typed content: the draft cannot be sent until it is finished. `name` null: it stays. */
export async function saveUnfinished(
  db: Database,
  workspaceId: number,
  { id, version, typed, savedBy, name }: TypedToSave & { name: string | null },
): Promise<{ version: number; savedAt: Date } | null> {
  const [saved] = await db.rows<{ version: number; savedAt: Date }>(sql`
    update campaign set name = coalesce(${name}, name), draft = ${typed}::json, unfinished = true, saved_by = ${savedBy},
      version = version + 1, updated_at = date_trunc('milliseconds', facteur_now())
    where workspace_id = ${workspaceId} and id = ${id} and status = 'draft' and version = ${version}
    returning version, updated_at as "savedAt"`)
  return saved ?? null
}

/** Copies the original's typed content, under the copy's name. */
export async function copyTyped(
  db: Database,
  workspaceId: number,
  { from, to, name }: { from: string; to: string; name: string },
): Promise<void> {
  await db.count(sql`
    update campaign c set draft = (o.draft::jsonb || jsonb_build_object('name', ${name}::text))::json, unfinished = o.unfinished
    from campaign o
    where c.workspace_id = ${workspaceId} and c.id = ${to} and o.workspace_id = ${workspaceId} and o.id = ${from}`)
}
