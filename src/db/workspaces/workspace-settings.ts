/**
 * A workspace's settings: its name and address for recipients, and which engagement of its
 * campaigns it tracks.
 */
import { home } from '../../database/client/search-path.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import type { RecipientLanguage } from '../../ground/texts/languages.ts'

export interface WorkspaceSettings {
  name: string
  slug: string
  /** The language of its public pages and mails; null is the installation's. */
  language: RecipientLanguage | null
  /** Lines are divided by line feeds. */
  postalAddress: string | null
  /** The tracking of its new campaigns. */
  trackOpens: boolean
  trackClicks: boolean
  /** Where notices to the workspace go, lower-cased. Null means to its default sender. */
  contact: string | null
  /** By its IANA name: days of segments are its own. Null means UTC. */
  timeZone: string | null
  /** Whether contacts may have what is stored about them mailed to them, from their page. */
  dataRequests: boolean
  /** Requests of each key. */
  ratePerMinute: number
  createdAt: Date
}

export function workspaceSettings(db: Database, workspaceId: number): Promise<WorkspaceSettings> {
  return db.onlyRow<WorkspaceSettings>(sql`
    select name, slug, language, postal_address, track_opens, track_clicks,
      contact, time_zone, data_requests, rate_per_minute, created_at
    from workspace where id = ${workspaceId}`)
}

/** Locks all settings for a change of some: a concurrent change of others is not undone. */
export async function lockWorkspaceSettings(
  tx: Database,
  workspaceId: number,
): Promise<WorkspaceSettings> {
  await tx.count(sql`select from workspace where id = ${workspaceId} for no key update`)
  return workspaceSettings(tx, workspaceId)
}

export async function setWorkspaceLanguage(
  db: Database,
  workspaceId: number,
  language: RecipientLanguage,
): Promise<void> {
  await db.count(sql`update ${home}workspace set language = ${language} where id = ${workspaceId}`)
}

export async function setWorkspaceSettings(
  db: Database,
  workspaceId: number,
  settings: Omit<WorkspaceSettings, 'slug' | 'ratePerMinute' | 'createdAt'>,
): Promise<void> {
  await db.count(sql`
    update ${home}workspace
    set name = ${settings.name}, contact = ${settings.contact}, language = ${settings.language},
      postal_address = ${settings.postalAddress},
      track_opens = ${settings.trackOpens}, track_clicks = ${settings.trackClicks},
      time_zone = ${settings.timeZone}, data_requests = ${settings.dataRequests}
    where id = ${workspaceId}`)
}

/** Whether PostgreSQL has a time zone of this name: its list may lack one that Node.js has. */
export async function hasTimeZone(db: Database, name: string): Promise<boolean> {
  const names = await db.column<string>(
    sql`select name from pg_timezone_names where name = ${name}`,
  )
  return names.length > 0
}
