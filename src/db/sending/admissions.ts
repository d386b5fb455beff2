/**
 * Admits single messages of one workspace: one statement for many calls, which checks all their
 * rules (semantics 1).
 */
import { sql } from '../../database/client/sql.ts'
import { fragment, part } from '../../database/client/fragment.ts'
import type { Database } from '../../database/client/database.ts'
import { exceededRateOfR } from '../workspaces/suspension-rule.ts'
import { reputationSumsOfW } from '../workspaces/reputation-counts.ts'
import { movesSeldom } from '../../database/planner/moved-rows.ts'
import { fromQuotaQ, isQuotaP } from '../workspaces/quota-row.ts'
import {
  booleans,
  integers,
  jsonbs,
  jsons,
  packBytes,
  packTexts,
  smallints,
  textArray,
  uuids,
} from '../../database/client/binary-arrays.ts'

/** One call: one message, or the messages of a batch. It is admitted whole or not at all. */
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
  /** The accepting request hands it over itself: the row is born leased to it. */
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
  /** The Idempotency-Key is taken, by an earlier call or by a concurrent one. */
  | 'key_taken'
  | 'unverified_from_domain'
  | 'reputation_blocked'
  | 'suppressed_recipient'
  | 'quota_exceeded'

export interface AdmissionResult {
  verdict: AdmissionVerdict
  /** When it was admitted, by the database: `created_at` and the Date header. */
  at: Date
}

/**
 * The unit passes the checks, but another unit of the statement was refused, so nothing is written.
 * The caller asks again without that one.
 */
export interface PutOff {
  verdict: 'put_off'
}

/** How long an inline hand-off may hold its request and its lease, in seconds. */
export interface AdmissionTimes {
  inlineSeconds: number
  leaseSeconds: number
}

/**
 * The SQLSTATE of `facteur_refuse`: nothing was written, because another statement took the rest of
 * the quota or a key since this one began. The next one sees what it left.
 */
export const overtakenState = 'FA001'

/** The facts that decide on a unit, in the order of the refusals. */
interface Checked {
  at: Date
  taken: string[]
  /** The domains that are verified. */
  verified: string[]
  suspended: boolean
  suppressed: string[]
  /** Recipients that the quota leaves. Null means no limit. */
  remaining: number | null
  /** Whether all was written. */
  admitted: boolean
  /** Another call took the rest of the quota, or a key: then the statement ends, and has no row. */
  quotaLost: null
  keyLost: null
}

const fromQuotaOfDebit = fromQuotaQ({
  payer: fragment`debit.payer`,
  month: fragment`debit.month`,
})
const isQuotaOfUsed = isQuotaP({
  payer: fragment`(select payer from used)`,
  month: fragment`(select month from used)`,
  movedAt: fragment`(select moved_at from used)`,
})

/**
 * Checks the units and admits all of them in one statement, or none; results in the order asked. It
 * claims keys in sorted order and debits the quota last, so that the quota's row is locked shortly.
 * Throws SQLSTATE FA001, with nothing written, when another statement took the rest of the quota or
 * a key meanwhile.
 *
 * Nearly every unit is admitted, so the statement joins no list to verdicts: its own cost is what a
 * lone request pays.
 */
export async function admitUnits(
  db: Database,
  workspaceId: number,
  units: AdmissionUnit[],
  times: AdmissionTimes,
): Promise<(AdmissionResult | PutOff)[]> {
  const messages = units.flatMap(({ apiKeyId, messages: each }) =>
    each.map((message) => {
      const inline = message.recipients.some((recipient) => recipient.inline)
      return { ...message, apiKeyId, inline }
    }),
  )
  const recipients = messages.flatMap(({ id, scheduledAt, recipients: each }) =>
    each.map((recipient, position) => ({ ...recipient, id, scheduledAt, position })),
  )
  const domains = [...new Set(messages.map((m) => m.fromDomain))].map((name) => ({ name }))
  const keyed = units
    .flatMap(({ idempotency, messages: of }) =>
      idempotency ? [{ ...idempotency, ids: of.map((m) => m.id) }] : [],
    )
    .toSorted((a, b) => (a.key < b.key ? -1 : 1))
  const keys = keyed.length > 0 ? claimKeys(workspaceId, keyed) : noKeys
  const messageIds = uuids(messages, 'id')
  const addresses = textArray(recipients, 'key')
  const html = packTexts(messages, 'html')
  const text = packTexts(messages, 'text')
  const sizes = messages.map(({ attachments }, index) => ({
    bytes: attachments.reduce(
      (sum, { content }) => sum + content.length,
      (html.places[index]?.length ?? 0) + (text.places[index]?.length ?? 0),
    ),
  }))
  // 1. checked: what decides: keys, domains, suspension, suppressed addresses, and what is left of
  //    the quota.
  // 2. gate: one row where all of it lets the units pass, and none otherwise.
  // 3. The keys are claimed, where the units have any.
  // 4. messages, bodies: what is sent.
  // 5. ledger: the recipients, leased already where they are handed over inside the call.
  // 6. hint: when the workspace's next row is due.
  // 7. debited, first_of_month: the quota, whose row is locked last.
  // 8. A quota or a key that another call took meanwhile ends the statement, and nothing is
  // written.
  const checked = await db.onlyRow<Checked>(sql`
    with checked as materialized (
      select payer, p.monthly_quota, now.at, month, q.moved_at,
        p.monthly_quota - coalesce(q.used, 0) as remaining,
        ${keys.taken} as taken,
        array(select v.name from domain v
          where v.workspace_id = ${workspaceId} and v.name = any (${textArray(domains, 'name')}::text[])
            and v.status = 'verified') as verified,
        ${exceededRateOfR} is not null as suspended,
        array(select s.email
          from suppression s
          where s.workspace_id = ${workspaceId} and s.email = any (${addresses}::text[]))
          || array(select g.email from platform_suppression g where g.email = any (${addresses}::text[]))
          -- Few workspaces ever erased a contact: the others compute no digests. One look-up by key
          -- for each address.
          || case
            when exists (select from erased_suppression x where x.workspace_id = ${workspaceId}) then array(
            select address_key
            from unnest(${addresses}::text[]) as t (address_key)
            where (select true from erased_suppression x
              where x.workspace_id = ${workspaceId}
                and x.digest = facteur_erasure_digest(w.erasure_salt, t.address_key)))
          else '{}' end as suppressed
      -- In milliseconds, so that the Date header and created_at never differ from the stored time.
      from (select date_trunc('milliseconds', facteur_now()) as at) now, workspace w
      join plan p on p.name = w.plan
      cross join lateral (
        select coalesce(w.quota_of, w.id) as payer,
          date_trunc('month', now.at at time zone 'utc')::date as month) debit
      left join lateral (
        select q.used, q.moved_at
        ${fromQuotaOfDebit}) q on true
      cross join lateral (
        select sum(hand_offs) as hand_offs, sum(bounces) as bounces, sum(complaints) as complaints,
          w.reputation_hand_offs_min as hand_offs_min, w.reputation_bounces_min as bounces_min,
          w.reputation_complaints_min as complaints_min,
          w.gmail_suspended_until > now.at as gmail_exceeds
        from (${reputationSumsOfW(workspaceId)}) days
      ) r
      where w.id = ${workspaceId}
    ), gate as materialized (
      select at, month
      from checked
      where taken = '{}' and cardinality(verified) = ${domains.length} and not suspended and suppressed = '{}'
        and coalesce(remaining >= ${recipients.length}, true)
    ), ${keys.claimed}messages as (
      insert into message (workspace_id, id, api_key_id, head, subject, tags, message_id, created_at,
        scheduled_at, inline_until, quota_month, size)
      select ${workspaceId}, m.id, m.api_key_id, m.head, m.subject, m.tags, m.message_id, gate.at,
        m.scheduled_at,
        case when m.inline then gate.at + make_interval(secs => ${times.inlineSeconds}) end, gate.month,
        m.size
      from gate,
        unnest(${uuids(messages, 'apiKeyId')}::uuid[], ${messageIds}::uuid[],
          ${jsons(messages, 'head')}::json[], ${textArray(messages, 'subject')}::text[],
          ${jsonbs(messages, 'tags')}::jsonb[], ${textArray(messages, 'messageId')}::text[],
          ${messages.map((m) => m.scheduledAt)}::timestamptz[], ${booleans(messages, 'inline')}::boolean[],
          ${integers(sizes, 'bytes')}::int[])
        as m (api_key_id, id, head, subject, tags, message_id, scheduled_at, inline, size)
      returning 1
    ), bodies as (
      insert into message_body (workspace_id, message_id, html, text)
      select ${workspaceId}, m.id,
        convert_from(substring(${html.bytes}::bytea from m.html_start for m.html_length), 'UTF8'),
        convert_from(substring(${text.bytes}::bytea from m.text_start for m.text_length), 'UTF8')
      from gate,
        unnest(${messageIds}::uuid[], ${integers(html.places, 'start')}::int[],
          ${integers(html.places, 'length')}::int[], ${integers(text.places, 'start')}::int[],
          ${integers(text.places, 'length')}::int[])
        as m (id, html_start, html_length, text_start, text_length)
      returning 1
    ), ledger as (
      insert into recipient (workspace_id, message_id, position, kind, email, address_key, status, state,
        lane, next_at, fence, attempts)
      select ${workspaceId}, r.id, r.position, r.kind, r.email, r.address_key, 'queued',
        case when r.inline then 'leased' else 'pending' end, 'transactional',
        case when r.inline then gate.at + make_interval(secs => ${times.leaseSeconds})
          else greatest(r.scheduled_at, gate.at) end,
        r.inline::int, r.inline::int
      from gate,
        unnest(${uuids(recipients, 'id')}::uuid[], ${smallints(recipients, 'position')}::smallint[],
          ${textArray(recipients, 'kind')}::text[], ${textArray(recipients, 'email')}::text[],
          ${addresses}::text[], ${booleans(recipients, 'inline')}::boolean[],
          ${recipients.map((r) => r.scheduledAt)}::timestamptz[])
        as r (id, position, kind, email, address_key, inline, scheduled_at)
      returning next_at
    ), hint as (
      insert into due (workspace_id, lane, next_at)
      select ${workspaceId}, 'transactional', min(next_at) from ledger having count(*) > 0
      on conflict (workspace_id, lane) do update set next_at = excluded.next_at
      where due.next_at > excluded.next_at
      returning 1
    ), used as materialized (
      -- The statement reads the others first, so that it locks this row last.
      select c.*
      from checked c
      where (select count(*) from messages) + (select count(*) from bodies) > 0
        and (select count(*) from hint) >= 0
    ), debited as (
      update quota_usage p set used = p.used + ${recipients.length}, ${movesSeldom}
      where ${isQuotaOfUsed}
        and coalesce(p.used + ${recipients.length} <= (select monthly_quota from used), true)
      returning 1
    ), first_of_month as (
      insert into quota_usage (workspace_id, month, used)
      select u.payer, u.month, ${recipients.length} from used u
      where u.moved_at is null and coalesce(${recipients.length} <= u.monthly_quota, true)
      on conflict (workspace_id, month) do update set used = quota_usage.used + excluded.used
      returning used
    )
    select at, taken, verified, suspended, suppressed, remaining, exists (select from gate) as admitted,
      case when exists (select from gate) and not exists (
        select from debited union all
        select from first_of_month f where coalesce(f.used <= checked.monthly_quota, true))
          then facteur_refuse('quota_exceeded') end as quota_lost,
      case when exists (select from gate) and ${keys.areMissed}
        then facteur_refuse('key_taken') end as key_lost
    from checked`)
  const verdicts = verdictsOf(units, checked)
  const all = verdicts.every((verdict) => verdict === 'admitted')
  // The answer is what was written: no caller gets the id of a message that does not exist.
  if (all !== checked.admitted) throw new Error('The statement and its verdicts differ')
  return verdicts.map((verdict) =>
    verdict === 'admitted' && !all ? { verdict: 'put_off' } : { verdict, at: checked.at },
  )
}

interface KeyedUnit {
  key: string
  fingerprint: Buffer
  /** Of its messages. */
  ids: string[]
}

/** The parts of the admission for Idempotency-Keys, which most lone calls do not have. */
const claimKeys = (workspaceId: number, keyed: KeyedUnit[]) => ({
  taken: part`
    array(select k.key
      from idempotency_key k
      where k.workspace_id = ${workspaceId} and k.key = any (${keyed.map((k) => k.key)}::text[]))`,
  claimed: part`claimed as (
      insert into idempotency_key (workspace_id, key, fingerprint, message_ids, created_at)
      select ${workspaceId}, k.key, k.fingerprint, string_to_array(k.ids, ' ')::uuid[], gate.at
      from gate,
        unnest(${keyed.map((k) => k.key)}::text[], ${keyed.map((k) => k.fingerprint)}::bytea[],
          ${keyed.map((k) => k.ids.join(' '))}::text[])
        as k (key, fingerprint, ids)
      on conflict do nothing returning 1
    ), `,
  areMissed: part`(select count(*) from claimed) < ${keyed.length}`,
})

const noKeys = { taken: fragment`'{}'::text[]`, claimed: fragment``, areMissed: fragment`false` }

/** The quota is granted in the order of arrival, to units that nothing else refuses. */
function verdictsOf(units: AdmissionUnit[], checked: Checked): AdmissionVerdict[] {
  let remaining = checked.remaining ?? Infinity
  return units.map((unit) => {
    const verdict = verdictOf(unit, checked)
    const needed = unit.messages.reduce((sum, { recipients }) => sum + recipients.length, 0)
    if (verdict !== 'admitted' || needed > remaining)
      return verdict === 'admitted' ? 'quota_exceeded' : verdict
    remaining -= needed
    return verdict
  })
}

function verdictOf(
  unit: AdmissionUnit,
  { taken, verified, suspended, suppressed }: Checked,
): AdmissionVerdict {
  if (unit.idempotency && taken.includes(unit.idempotency.key)) return 'key_taken'
  if (unit.messages.some((message) => !verified.includes(message.fromDomain)))
    return 'unverified_from_domain'
  if (suspended) return 'reputation_blocked'
  const isSuppressed = (message: AdmissionMessage): boolean =>
    message.recipients.some(({ key }) => suppressed.includes(key))
  return suppressed.length > 0 && unit.messages.some(isSuppressed)
    ? 'suppressed_recipient'
    : 'admitted'
}

/** Stores the files of a message, in the transaction that admits it. */
export async function insertAttachments(
  db: Database,
  workspaceId: number,
  messageId: string,
  files: AdmissionAttachment[],
): Promise<void> {
  // Packed, because an array would be written as text with two letters for each byte, several times
  // over on both sides.
  const content = packBytes(files.map((f) => f.content))
  await db.count(sql`
    insert into attachment (workspace_id, message_id, position, filename, content_type, content_id, content)
    select ${workspaceId}, ${messageId}, t.ordinal - 1, t.filename, t.content_type, t.content_id,
      substring(${content.bytes}::bytea from t.content_start for t.content_length)
    from unnest(${files.map((f) => f.filename)}::text[], ${files.map((f) => f.contentType)}::text[],
                ${files.map((f) => f.contentId)}::text[], ${integers(content.places, 'start')}::int[],
                  ${integers(content.places, 'length')}::int[])
      with ordinality as t (filename, content_type, content_id, content_start, content_length, ordinal)`)
}

/**
 * Which of these messages exist: when a connection is lost during admission, they may have been
 * committed.
 */
export async function existingMessages(
  db: Database,
  workspaceId: number,
  ids: string[],
): Promise<{ id: string; at: Date }[]> {
  return db.rows(sql`
    select id, created_at as at
    from message
    where workspace_id = ${workspaceId} and id = any (${ids}::uuid[])`)
}
