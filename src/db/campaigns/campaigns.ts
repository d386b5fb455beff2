/** Campaigns: their content, their state, and the sums of their ledger and their tallies. */
import type { CampaignCounts, CampaignKind, CampaignProgress, CampaignStatus } from '../../contract/campaigns.ts'
import { sql } from '../connection/connect.ts'
import type { Database } from '../connection/connect.ts'

/** The values that the author sets, and may change while it is a draft. */
export interface CampaignDraft {
  name: string
  subject: string
  preheader: string | null
  fromName: string | null
  /** Null: it has no sender yet. */
  fromEmail: string | null
  kind: CampaignKind
  /** The source as it was sent to us: a text, the list of blocks, or a document. */
  source: unknown
  trackOpens: boolean
  trackClicks: boolean
}

export interface CampaignRow extends Omit<CampaignDraft, 'source'> {
  id: string
  status: CampaignStatus
  /** Its editor saved something that cannot be sent; the other fields hold the previous version. */
  unfinished: boolean
  /** Of an unfinished draft: the subject in the editor. */
  typedSubject: string | null
  scheduledAt: Date | null
  pausedAt: Date | null
  pauseReason: string | null
  /** Why it became a draft again without a user's act. */
  notice: string | null
  /** No hand-off happens before: the undo window. */
  heldUntil: Date | null
  sentAt: Date | null
  completedAt: Date | null
  canceledAt: Date | null
  createdAt: Date
  updatedAt: Date
  /** The frozen list; 0 before there is one. */
  recipients: number
  progress: CampaignProgress
  /** Of the failed: those that were still pending when it was cancelled. */
  cancelled: number
  /** The counters that exist; the others are absent. */
  counted: Partial<Omit<CampaignCounts, 'recipients'>>
}

export async function insertCampaign(db: Database, workspaceId: number, campaign: CampaignDraft & { id: string }): Promise<void> {
  await db.count(sql`
    insert into campaign (workspace_id, id, name, subject, preheader, from_name, from_email, format, source, status,
      track_opens, track_clicks, created_at, updated_at)
    select ${workspaceId}, ${campaign.id}, ${campaign.name}, ${campaign.subject}, ${campaign.preheader}, ${campaign.fromName},
      ${campaign.fromEmail}, ${campaign.kind}, ${JSON.stringify(campaign.source)}::json, 'draft',
      ${campaign.trackOpens}, ${campaign.trackClicks}, at.now, at.now
    from (select date_trunc('milliseconds', facteur_now()) as now) at`)
}

/**
 * Replaces a draft by a finished one; false when it is not a draft of this version any more. `typed` is JSON of the
 * state that its editor goes on from; null: from the values written here.
 */
export async function updateDraft(
  db: Database,
  workspaceId: number,
  id: string,
  draft: CampaignDraft & { version: number; typed: string | null },
): Promise<boolean> {
  const changed = await db.count(sql`
    update campaign set name = ${draft.name}, subject = ${draft.subject}, preheader = ${draft.preheader},
      from_name = ${draft.fromName}, from_email = ${draft.fromEmail}, format = ${draft.kind},
      source = ${JSON.stringify(draft.source)}::json, track_opens = ${draft.trackOpens}, track_clicks = ${draft.trackClicks},
      version = version + 1, draft = ${draft.typed}::json, unfinished = false, saved_by = null,
      updated_at = date_trunc('milliseconds', facteur_now())
    where workspace_id = ${workspaceId} and id = ${id} and status = 'draft' and version = ${draft.version}`)
  return changed === 1
}

/** Campaigns of the workspace with these identifiers, newest first. */
export function campaignsById(db: Database, workspaceId: number, ids: string[]): Promise<CampaignRow[]> {
  return db.rows<CampaignRow>(sql`
    select c.id, c.name, c.subject, c.preheader, c.from_name as "fromName", c.from_email as "fromEmail", c.format as kind, c.status, c.unfinished,
      case when c.unfinished then c.draft->>'subject' end as "typedSubject",
      c.scheduled_at as "scheduledAt", c.paused_at as "pausedAt", c.pause_reason as "pauseReason", c.notice, c.held_until as "heldUntil",
      c.sent_at as "sentAt", c.completed_at as "completedAt", c.canceled_at as "canceledAt",
      c.track_opens as "trackOpens", c.track_clicks as "trackClicks", c.created_at as "createdAt", c.updated_at as "updatedAt",
      coalesce(p.recipients, 0) as recipients,
      json_build_object('pending', coalesce(p.pending, 0), 'sent', coalesce(p.sent, 0), 'failed', coalesce(p.failed, 0),
        'suppressed', coalesce(p.suppressed, 0), 'in_doubt', coalesce(p.in_doubt, 0)) as progress,
      coalesce(t.cancelled, 0) as cancelled, coalesce(t.counted, '{}'::json) as counted
    from campaign c
    left join campaign_progress p on p.workspace_id = ${workspaceId} and p.campaign_id = c.id
    cross join lateral (
      select json_object_agg(measure, count) filter (where measure <> 'cancelled') as counted,
        max(count) filter (where measure = 'cancelled') as cancelled
      from campaign_tally
      where workspace_id = ${workspaceId} and campaign_id = c.id and label = ''
        and measure = any (array['delivered', 'opened', 'clicked', 'bounced', 'complained', 'unsubscribed', 'cancelled'])
    ) t
    where c.workspace_id = ${workspaceId} and c.id = any (${ids}::uuid[])
    order by c.id desc`)
}

/** Campaigns whose name or subject contains the text, newest first; without a status all but the archived. */
export async function searchCampaignIds(
  db: Database,
  workspaceId: number,
  page: { text: string; status: CampaignStatus | null; most: number; before: string | null },
): Promise<string[]> {
  const before = page.before ?? 'ffffffff-ffff-ffff-ffff-ffffffffffff'
  const rows = await db.rows<{ id: string }>(sql`
    select id from campaign
    where workspace_id = ${workspaceId} and id < ${before}::uuid
      and case when ${page.status}::text is null then status <> 'archived' else status = ${page.status} end
      and strpos(lower(name || chr(10) || case when unfinished then coalesce(draft->>'subject', subject) else subject end),
        lower(${page.text})) > 0
    order by id desc limit ${page.most}`)
  return rows.map(({ id }) => id)
}

/** Identifiers newest first, before one on. They grow with time (ids.ts), so the last one is this list's place. */
export async function campaignIds(
  db: Database,
  workspaceId: number,
  page: { status: CampaignStatus | null; most: number; before: string | null },
): Promise<string[]> {
  const before = page.before ?? 'ffffffff-ffff-ffff-ffff-ffffffffffff'
  // With and without a status, the statement needs two indexes; one plan could not use both.
  const rows = await db.rows<{ id: string }>(
    page.status === null
      ? sql`select id from campaign where workspace_id = ${workspaceId} and id < ${before}::uuid order by id desc limit ${page.most}`
      : sql`
        select id from campaign where workspace_id = ${workspaceId} and status = ${page.status} and id < ${before}::uuid
        order by id desc limit ${page.most}`,
  )
  return rows.map(({ id }) => id)
}

/** The source that was written; null when there is no such campaign. */
export async function campaignSource(db: Database, workspaceId: number, id: string): Promise<{ source: unknown } | null> {
  const [row] = await db.rows<{ source: unknown }>(
    sql`select source from campaign where workspace_id = ${workspaceId} and id = ${id}`,
  )
  return row ?? null
}

/** The compiled mail as it was frozen; null when it was not, or there is no such campaign. */
export async function compiledCampaign(db: Database, workspaceId: number, id: string): Promise<unknown> {
  const [row] = await db.rows<{ compiled: unknown }>(
    sql`select compiled from campaign where workspace_id = ${workspaceId} and id = ${id}`,
  )
  return row?.compiled ?? null
}
