/** What happened to one contact, but for mails and their opens: a page at a time, newest first. */
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import { storedFrom } from '../retention/stored-since.ts'
import type { ContactPageOptions } from './contact-pages.ts'

export interface ContactEventRow {
  kind: 'added' | 'consent' | 'suppressed' | 'edited'
  id: string
  at: Date
  /** Of a consent: what was asked, answered or chosen. */
  act: string | null
  topic: string | null
  source: string | null
  shown: string | null
  ip: string | null
  userAgent: string | null
  /** The member who did it. */
  member: string | null
  emailId: string | null
  campaignId: string | null
  campaignName: string | null
  /** Why the address is suppressed. */
  reason: string | null
  /** Names of what was edited, without the values. */
  parts: string | null
}

/** The newest entries of the audit log that are searched for edits by hand. */
const editsExamined = 5_000

/** Times are cut to milliseconds, as cursors write them. */
export function contactEventPage(
  db: Database,
  workspaceId: number,
  { email, subscriberId, before, max }: ContactPageOptions,
): Promise<ContactEventRow[]> {
  return db.rows<ContactEventRow>(sql`
    with events as materialized (
      select 'consent' as kind, c.id, c.at, c.act, null::text as topic, c.source, c.shown, c.ip, c.user_agent,
        c.recorded_by as member, c.message_id as email_id, c.campaign_id, null::text as reason,
        null::text as parts
      from consent_evidence c
      where c.workspace_id = ${workspaceId} and c.email = ${email}
      union all
      select 'consent', c.id, c.at, c.act, c.topic, c.source, c.shown, c.ip, c.user_agent, null, null,
        c.campaign_id, null, null
      from choice_evidence c
      where c.workspace_id = ${workspaceId} and c.subscriber_id = ${subscriberId}::uuid
      union all
      select 'suppressed', s.id, s.created_at, null, null, null, null, null, null, null, null, null,
        s.reason, null
      from suppression s
      where s.workspace_id = ${workspaceId} and s.email = ${email}
      union all
      select 'added', s.id, s.created_at, null, null, s.source, null, null, null, null, null, null, null, null
      from subscriber s
      where s.workspace_id = ${workspaceId} and s.id = ${subscriberId}::uuid
      union all
      select 'edited', l.id, l.created_at, null, null, null, null, null, null, l.who, null, null, null,
        l.details ->> 'parts'
      from (
        select * from audit_log
        where workspace_id = ${workspaceId} and created_at >= ${storedFrom(workspaceId, 'auditLog')}
        order by id desc
        limit ${editsExamined}) l
      where l.act = 'subscriber.edited' and l.subject = ${subscriberId}::text
    ), page as materialized (
      select e.*, date_trunc('milliseconds', e.at) as moment
      from events e
      where (date_trunc('milliseconds', e.at), e.id) <
        (${before?.at ?? 'infinity'}::timestamptz,
          ${before?.id ?? 'ffffffff-ffff-ffff-ffff-ffffffffffff'}::uuid)
      order by moment desc, e.id desc
      limit ${max}
    )
    select p.kind, p.id, p.moment as at, p.act, p.topic, p.source, p.shown, p.ip, p.user_agent, p.member,
      p.email_id,
      p.campaign_id, c.name as campaign_name, p.reason, p.parts
    from page p
    left join campaign c on c.workspace_id = ${workspaceId} and c.id = p.campaign_id
    order by p.moment desc, p.id desc`)
}
