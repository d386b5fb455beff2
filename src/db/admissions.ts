/** The hot statement: admits single messages of one workspace, many calls at once, all their rules judged in it (semantics 1). */
import { sql } from './connect.ts'
import type { Database } from './connect.ts'
import { packTexts } from './packed.ts'

/** One call: one message, or the messages of a batch. All of it is admitted, or nothing. */
export interface AdmissionUnit {
  /** The Idempotency-Key and the fingerprint of the request; null without one. */
  idempotency: { key: string; fingerprint: Buffer } | null
  apiKeyId: string | null
  messages: AdmissionMessage[]
}

export interface AdmissionMessage {
  id: string
  fromDomain: string
  /** JSON of the mailboxes and free headers. */
  head: string
  subject: string
  /** JSON of the tags, or null. */
  tags: string | null
  /** The Message-ID header without angle brackets. */
  messageId: string
  /** RFC 3339, or null for now. */
  scheduledAt: string | null
  html: string | null
  text: string | null
  recipients: AdmissionRecipient[]
  attachments: AdmissionAttachment[]
}

export interface AdmissionRecipient {
  kind: 'to' | 'cc' | 'bcc'
  email: string
  /** The address in lower case: what suppression compares. */
  key: string
  /** Handed over by the accepting request itself: the row is born leased to it. */
  inline: boolean
}

export interface AdmissionAttachment {
  filename: string | null
  contentType: string | null
  contentId: string | null
  content: Buffer
}

export type AdmissionVerdict =
  | 'admitted'
  /** The Idempotency-Key is taken, by an earlier call or a twin under way. */
  | 'key_taken'
  | 'unverified_from_domain'
  | 'reputation_blocked'
  | 'suppressed_recipient'

export interface AdmissionResult {
  verdict: AdmissionVerdict
  /** When it was admitted, by the database: `created_at` and the Date header. */
  at: Date
}

/** How long an inline hand-off may hold its request and its lease, in seconds. */
export interface AdmissionTimes {
  inlineSeconds: number
  leaseSeconds: number
}

/** The SQLSTATE of `facteur_refuse`: the quota does not allow the whole group, and nothing of it was written. */
export const refusedState = 'FA001'

/**
 * Judges and admits the units in one statement; results in the order asked. Keys are claimed in sorted order, the quota is
 * debited last so that its row is locked shortly. Throws SQLSTATE FA001, with nothing written, when the quota is not enough
 * for all: the caller then asks one by one.
 *
 * Each list is unnested where it is needed, and what is looked up is looked up once for all units: the statement's own cost
 * is what a lone request pays.
 */
export function admitUnits(db: Database, workspaceId: number, units: AdmissionUnit[], times: AdmissionTimes) {
  const messages = units.flatMap((unit, index) =>
    unit.messages.map((message) => ({ unit: index, apiKeyId: unit.apiKeyId, ...message })),
  )
  const recipients = messages.flatMap(({ unit, id, scheduledAt, recipients: each }) =>
    each.map((recipient, position) => ({ unit, id, scheduledAt, position, ...recipient })),
  )
  const messageUnits = messages.map((m) => m.unit)
  const messageIds = messages.map((m) => m.id)
  const recipientUnits = recipients.map((r) => r.unit)
  const addresses = recipients.map((r) => r.key)
  const domains = messages.map((m) => m.fromDomain)
  const html = packTexts(messages.map((m) => m.html))
  const text = packTexts(messages.map((m) => m.text))
  return db.rows<AdmissionResult>(sql`
    with moment as materialized (
      -- Milliseconds, as it is shown: a Date header and created_at never differ from what is kept.
      select at, date_trunc('month', at at time zone 'utc')::date as month from (select date_trunc('milliseconds', facteur_now()) as at) now
    ), standing as materialized (
      select p.monthly_quota, coalesce(
          d.hand_offs >= w.reputation_hand_offs_min
          and (d.bounces >= w.reputation_bounces_min and d.bounces > 0.05 * d.hand_offs
               or d.complaints >= w.reputation_complaints_min and d.complaints > 0.001 * d.hand_offs), false) as suspended
      from workspace w join plan p on p.name = w.plan
      cross join lateral (
        select sum(hand_offs) as hand_offs, sum(bounces) as bounces, sum(complaints) as complaints from reputation_day
        where workspace_id = ${workspaceId} and epoch = w.reputation_epoch
          and day > (facteur_now() at time zone 'utc')::date - 30
      ) d
      where w.id = ${workspaceId}
    ), known as materialized (
      select
        array(select name from domain where workspace_id = ${workspaceId} and name = any (${[...new Set(domains)]}::text[])
                and status = 'verified') as verified
    ), judged as materialized (
      select u.*, case
          when u.key is not null and (
            select k.key from idempotency_key k where k.workspace_id = ${workspaceId} and k.key = u.key) is not null then 'key_taken'
          when u.unit in (
            select t.unit from unnest(${messageUnits}::int[], ${domains}::text[]) as t (unit, from_domain), known
            where t.from_domain <> all (known.verified)) then 'unverified_from_domain'
          when (select suspended from standing) then 'reputation_blocked'
          when u.unit in (
            select t.unit from unnest(${recipientUnits}::int[], ${addresses}::text[]) as t (unit, address_key)
            -- One look-up by key for each address: a join could come to read the whole list.
            where coalesce(
              (select s.email from suppression s where s.workspace_id = ${workspaceId} and s.email = t.address_key),
              (select g.email from platform_suppression g where g.email = t.address_key)) is not null) then 'suppressed_recipient'
          else 'admitted' end as verdict
      from unnest(${units.map((_, index) => index)}::int[], ${units.map((u) => u.idempotency?.key ?? null)}::text[],
                  ${units.map((u) => u.idempotency?.fingerprint ?? null)}::bytea[]) as u (unit, key, fingerprint)
    ), claimed as (
      insert into idempotency_key (workspace_id, key, fingerprint, message_ids, created_at)
      select ${workspaceId}, j.key, j.fingerprint, array(
          select t.id from unnest(${messageUnits}::int[], ${messageIds}::uuid[]) with ordinality as t (unit, id, ordinal)
          where t.unit = j.unit order by t.ordinal), moment.at
      from judged j, moment where j.verdict = 'admitted' and j.key is not null
      order by j.key
      on conflict do nothing returning key
    ), admitted as materialized (
      select array(select j.unit from judged j where j.verdict = 'admitted' and (j.key is null or j.key in (select key from claimed))) as units
    ), messages as (
      insert into message (workspace_id, id, api_key_id, head, subject, tags, message_id, created_at, scheduled_at, inline_until, quota_month)
      select ${workspaceId}, m.id, m.api_key_id, m.head, m.subject, m.tags, m.message_id, moment.at, m.scheduled_at,
        case when m.inline then moment.at + make_interval(secs => ${times.inlineSeconds}) end, moment.month
      from unnest(${messageUnits}::int[], ${messages.map((m) => m.apiKeyId)}::uuid[], ${messageIds}::uuid[],
                  ${messages.map((m) => m.head)}::json[], ${messages.map((m) => m.subject)}::text[],
                  ${messages.map((m) => m.tags)}::jsonb[], ${messages.map((m) => m.messageId)}::text[],
                  ${messages.map((m) => m.scheduledAt)}::timestamptz[], ${messages.map((m) => m.recipients.some((r) => r.inline))}::boolean[])
        as m (unit, api_key_id, id, head, subject, tags, message_id, scheduled_at, inline), admitted, moment
      where m.unit = any (admitted.units)
      returning 1
    ), bodies as (
      insert into message_body (workspace_id, message_id, html, text)
      select ${workspaceId}, m.id, convert_from(substring(${html.bytes}::bytea from m.html_start for m.html_length), 'UTF8'),
        convert_from(substring(${text.bytes}::bytea from m.text_start for m.text_length), 'UTF8')
      from unnest(${messageUnits}::int[], ${messageIds}::uuid[], ${html.starts}::int[], ${html.lengths}::int[],
                  ${text.starts}::int[], ${text.lengths}::int[])
        as m (unit, id, html_start, html_length, text_start, text_length), admitted
      where m.unit = any (admitted.units)
      returning 1
    ), ledger as (
      insert into recipient (workspace_id, message_id, position, kind, email, address_key, status, state, lane, next_at, fence, attempts)
      select ${workspaceId}, r.id, r.position, r.kind, r.email, r.address_key, 'queued',
        case when r.inline then 'leased' else 'pending' end, 'transactional',
        case when r.inline then moment.at + make_interval(secs => ${times.leaseSeconds}) else coalesce(r.scheduled_at, moment.at) end,
        r.inline::int, r.inline::int
      from unnest(${recipientUnits}::int[], ${recipients.map((r) => r.id)}::uuid[], ${recipients.map((r) => r.position)}::smallint[],
                  ${recipients.map((r) => r.kind)}::text[], ${recipients.map((r) => r.email)}::text[], ${addresses}::text[],
                  ${recipients.map((r) => r.inline)}::boolean[], ${recipients.map((r) => r.scheduledAt)}::timestamptz[])
        as r (unit, id, position, kind, email, address_key, inline, scheduled_at), admitted, moment
      where r.unit = any (admitted.units)
      returning next_at
    ), hint as (
      insert into due (workspace_id, lane, next_at)
      select ${workspaceId}, 'transactional', min(next_at) from ledger having count(*) > 0
      on conflict (workspace_id, lane) do update set next_at = excluded.next_at where due.next_at > excluded.next_at
      returning 1
    ), debited as (
      insert into quota_usage (workspace_id, month, used)
      select ${workspaceId}, moment.month, l.recipients
      from moment, standing, (select count(*) as recipients from ledger) l
      where l.recipients > 0 and coalesce(l.recipients <= standing.monthly_quota, true)
        -- Reading the others first is what makes this the last row to be locked.
        and (select count(*) from messages) + (select count(*) from bodies) + (select count(*) from hint) > 0
      on conflict (workspace_id, month) do update set used = quota_usage.used + excluded.used
        where coalesce(quota_usage.used + excluded.used <= (select monthly_quota from standing), true)
      returning 1
    ), granted as materialized (
      select case when cardinality(admitted.units) > 0 and not exists (select from debited) then facteur_refuse('quota_exceeded') end
      from admitted
    )
    select case when j.verdict = 'admitted' and j.unit <> all (admitted.units) then 'key_taken' else j.verdict end as verdict, moment.at
    from judged j, admitted, moment, granted
    order by j.unit`)
}

/** Keeps the files of a message, in the transaction that admits it. */
export async function insertAttachments(
  db: Database,
  workspaceId: number,
  messageId: string,
  files: AdmissionAttachment[],
): Promise<void> {
  await db.count(sql`
    insert into attachment (workspace_id, message_id, position, filename, content_type, content_id, content)
    select ${workspaceId}, ${messageId}, t.ordinal - 1, t.filename, t.content_type, t.content_id, t.content
    from unnest(${files.map((f) => f.filename)}::text[], ${files.map((f) => f.contentType)}::text[],
                ${files.map((f) => f.contentId)}::text[], ${files.map((f) => f.content)}::bytea[])
      with ordinality as t (filename, content_type, content_id, content, ordinal)`)
}

/** Which of these messages exist: after a connection was lost while admitting, what was committed all the same. */
export async function existingMessages(db: Database, workspaceId: number, ids: string[]): Promise<{ id: string; at: Date }[]> {
  return db.rows(sql`
    select id, created_at as at from message where workspace_id = ${workspaceId} and id = any (${ids}::uuid[])`)
}
