/** What a workspace tells its recipients of itself, and what it follows of its campaigns. */
import { sql } from './connect.ts'
import type { Database } from './connect.ts'

export interface WorkspaceSettings {
  name: string
  slug: string
  /** Of what its recipients read; null is the installation's. */
  language: 'fr' | 'en' | null
  /** Lines are divided by line feeds. */
  postalAddress: string | null
  /** What its new campaigns follow. */
  trackOpens: boolean
  trackClicks: boolean
}

export async function workspaceSettings(db: Database, workspaceId: number): Promise<WorkspaceSettings> {
  const [row] = await db.rows<WorkspaceSettings>(sql`
    select name, slug, language, postal_address as "postalAddress", track_opens as "trackOpens", track_clicks as "trackClicks"
    from workspace where id = ${workspaceId}`)
  if (!row) throw new Error('The workspace is gone')
  return row
}

export async function setWorkspaceSettings(
  db: Database,
  workspaceId: number,
  settings: Omit<WorkspaceSettings, 'name' | 'slug'>,
): Promise<void> {
  await db.count(sql`
    update workspace set language = ${settings.language}, postal_address = ${settings.postalAddress},
      track_opens = ${settings.trackOpens}, track_clicks = ${settings.trackClicks}
    where id = ${workspaceId}`)
}

/** Where notices to the workspace go, lower-cased; null: to its default sender. */
export async function workspaceContact(db: Database, workspaceId: number): Promise<string | null> {
  const [row] = await db.rows<{ contact: string | null }>(sql`select contact from workspace where id = ${workspaceId}`)
  return row?.contact ?? null
}

export async function setWorkspaceContact(db: Database, workspaceId: number, contact: string | null): Promise<void> {
  await db.count(sql`update workspace set contact = ${contact} where id = ${workspaceId}`)
}
