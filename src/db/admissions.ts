/** The hot statement: admits single messages of one workspace, many calls at once, all their rules judged in it (semantics 1). */
import { sql } from './connect.ts'
import type { Database } from './connect.ts'

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
 */
export function admitUnits(db: Database, workspaceId: number, units: AdmissionUnit[], times: AdmissionTimes) {
  const messages = units.flatMap((unit, index) => unit.messages.map((message) => ({ unit: index, apiKeyId: unit.apiKeyId, message })))
  const recipients = messages.flatMap(({ unit, message }) =>
    message.recipients.map((recipient, position) => ({ unit, id: message.id, position, ...recipient })),
  )
  const column = <K extends keyof AdmissionMessage>(name: K): AdmissionMessage[K][] => messages.map(({ message }) => message[name])
  return db.rows<AdmissionResult>(sql`
    with u as materialized (
      select * from unnest(${units.map((_, index) => index)}::int[], ${units.map((u) => u.idempotency?.key ?? null)}::text[],
                           ${units.map((u) => u.idempotency?.fingerprint ?? null)}::bytea[]) as t (unit, key, fingerprint)
    ), m as materialized (
      select * from unnest(${messages.map((m) => m.unit)}::int[], ${messages.map((m) => m.apiKeyId)}::uuid[], ${column('id')}::uuid[],
                           ${column('fromDomain')}::text[], ${column('head')}::jsonb[], ${column('subject')}::text[],
                           ${column('tags')}::jsonb[], ${column('messageId')}::text[], ${column('scheduledAt')}::timestamptz[],
                           ${column('html')}::text[], ${column('text')}::text[])
        with ordinality as t (unit, api_key_id, id, from_domain, head, subject, tags, message_id, scheduled_at, html, text, ordinal)
    ), r as materialized (
      select * from unnest(${recipients.map((r) => r.unit)}::int[], ${recipients.map((r) => r.id)}::uuid[],
                           ${recipients.map((r) => r.position)}::smallint[], ${recipients.map((r) => r.kind)}::text[],
                           ${recipients.map((r) => r.email)}::text[], ${recipients.map((r) => r.key)}::text[],
                           ${recipients.map((r) => r.inline)}::boolean[])
        as t (unit, id, position, kind, email, address_key, inline)
    ), moment as materialized (
      -- Milliseconds, as it is shown: a Date header and created_at never differ from what is kept.
      select date_trunc('milliseconds', facteur_now()) as at
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
    ), unverified as materialized (
      select distinct m.unit from m
      left join domain d on d.workspace_id = ${workspaceId} and d.name = m.from_domain and d.status = 'verified'
      where d.name is null
    ), suppressed as materialized (
      select r.unit from r join suppression s on s.workspace_id = ${workspaceId} and s.email = r.address_key
      union select r.unit from r join platform_suppression s on s.email = r.address_key
    ), judged as materialized (
      select u.*, case
          when k.key is not null then 'key_taken'
          when u.unit in (select unit from unverified) then 'unverified_from_domain'
          when standing.suspended then 'reputation_blocked'
          when u.unit in (select unit from suppressed) then 'suppressed_recipient'
          else 'admitted' end as verdict
      from u cross join standing
      left join idempotency_key k on k.workspace_id = ${workspaceId} and k.key = u.key
    ), claimed as (
      insert into idempotency_key (workspace_id, key, fingerprint, message_ids, created_at)
      select ${workspaceId}, j.key, j.fingerprint, (select array_agg(m.id order by m.ordinal) from m where m.unit = j.unit), moment.at
      from judged j cross join moment where j.verdict = 'admitted' and j.key is not null
      order by j.key
      on conflict do nothing returning key
    ), admitted as materialized (
      select j.unit from judged j where j.verdict = 'admitted' and (j.key is null or j.key in (select key from claimed))
    ), messages as (
      insert into message (workspace_id, id, api_key_id, head, subject, tags, message_id, created_at, scheduled_at, inline_until, quota_month)
      select ${workspaceId}, m.id, m.api_key_id, m.head, m.subject, m.tags, m.message_id, moment.at, m.scheduled_at,
        case when m.id in (select id from r where inline) then moment.at + make_interval(secs => ${times.inlineSeconds}) end,
        date_trunc('month', moment.at at time zone 'utc')::date
      from m join admitted a on a.unit = m.unit cross join moment
      returning id
    ), bodies as (
      insert into message_body (workspace_id, message_id, html, text)
      select ${workspaceId}, m.id, m.html, m.text from m join admitted a on a.unit = m.unit
      returning message_id
    ), ledger as (
      insert into recipient (workspace_id, message_id, position, kind, email, address_key, status, state, lane, next_at, fence, attempts)
      select ${workspaceId}, r.id, r.position, r.kind, r.email, r.address_key, 'queued',
        case when r.inline then 'leased' else 'pending' end, 'transactional',
        case when r.inline then moment.at + make_interval(secs => ${times.leaseSeconds}) else coalesce(m.scheduled_at, moment.at) end,
        r.inline::int, r.inline::int
      from r join m on m.id = r.id join admitted a on a.unit = r.unit cross join moment
      returning next_at
    ), hint as (
      insert into due (workspace_id, lane, next_at)
      select ${workspaceId}, 'transactional', min(next_at) from ledger having count(*) > 0
      on conflict (workspace_id, lane) do update set next_at = excluded.next_at where due.next_at > excluded.next_at
      returning lane
    ), debited as (
      insert into quota_usage (workspace_id, month, used)
      select ${workspaceId}, date_trunc('month', moment.at at time zone 'utc')::date, l.recipients
      from moment cross join standing cross join (select count(*) as recipients from ledger) l
      where l.recipients > 0 and coalesce(l.recipients <= standing.monthly_quota, true)
        -- Reading the others first is what makes this the last row to be locked.
        and (select count(*) from messages) + (select count(*) from bodies) + (select count(*) from hint) > 0
      on conflict (workspace_id, month) do update set used = quota_usage.used + excluded.used
        where coalesce(quota_usage.used + excluded.used <= (select monthly_quota from standing), true)
      returning used
    ), granted as materialized (
      select case when exists (select from admitted) and not exists (select from debited) then facteur_refuse('quota_exceeded') end
    )
    select case when j.verdict = 'admitted' and a.unit is null then 'key_taken' else j.verdict end as verdict, moment.at
    from judged j left join admitted a on a.unit = j.unit cross join moment cross join granted
    order by j.unit`)
}

/** Keeps the files of a message, in the transaction that admits it. */
export async function insertAttachments(db: Database, workspaceId: number, messageId: string, files: AdmissionAttachment[]): Promise<void> {
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
