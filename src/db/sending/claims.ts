/**
 * Claims on the ledger: which worker holds a recipient row, until when, and what becomes of rows
 * whose worker was lost (semantics 2).
 */
import type { AdmissionAttachment } from './admissions.ts'
import { rowList } from '../../database/client/fragment.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import { highestId, lowestId } from '../../database/partitions/id-range.ts'
import { lateSeconds } from '../../database/client/late-rows.ts'
import type { VerdictRules } from './attempt-outcome.ts'
import {
  lostWorker,
  applyVerdictJToR,
  applyVerdictJToMessageR,
  verdictsOfEnded,
} from './verdicts.ts'
import type { SuppressionReason } from '../../contract/suppression.ts'

export type Lane = 'transactional' | 'campaign'

/**
 * One claimed recipient. The contents of its mail are read once for all recipients of a message
 * (`messageContents`).
 */
export interface ClaimedRow {
  messageId: string
  position: number
  fence: number
  attempts: number
  email: string
  /** Bytes of its message's texts and files. */
  bytes: number
}

/**
 * Claims up to `max` rows of one workspace: it sets lease, attempt and fence, which says that their
 * hand-off has started. The same statement reads suppressions; it does not claim a suppressed row,
 * but answers its address so that the caller can finalize it. At most one of the rows that failed a
 * worker before is claimed at once: a crash by one of them hits no other of their kind. Messages
 * are claimed up to the one that reaches `bytesMax`.
 *
 * The look begins behind `from`, so that it does not pass the index entries of earlier claims
 * again: PostgreSQL keeps them while a foreign transaction is open. Null if it begins at the first
 * row. `passedTo`: no due row before this time is left, except rows that are put back or become
 * visible later; a full look finds these (docs/decisions/0052-a-held-horizon.md).
 */
export async function claimRecipients(
  db: Database,
  workspaceId: number,
  lane: Lane,
  {
    max,
    bytesMax,
    leaseSeconds,
    from = null,
  }: { max: number; bytesMax: number; leaseSeconds: number; from?: Date | null },
): Promise<{ claimed: ClaimedRow[]; suppressed: SuppressedWithMail[]; passedTo: Date }> {
  // 1. troubled, healthy, picked: the rows that are due longest, locked unless another claim has them.
  // 2. suppressed: those of them whose address is suppressed by now.
  // 3. sized, fitting: the messages of the others, up to the one that reaches `bytesMax`.
  // 4. claimed: their rows get lease, fence and attempt.
  // 5. passed: how far the look went.
  const rows = await db.rows<
    | ({ kind: 'claimed' } & ClaimedRow)
    | ({ kind: 'suppressed' } & SuppressedWithMail)
    | { kind: 'passed'; passedTo: Date }
  >(sql`
    with troubled as materialized (
      select message_id, position, address_key, passes_unsubscribe, next_at from recipient
      where workspace_id = ${workspaceId} and lane = ${lane} and state = 'pending' and troubles > 0
        and next_at <= (select facteur_now())
      order by next_at limit 1 for update skip locked
    ), healthy as materialized (
      select message_id, position, address_key, passes_unsubscribe, next_at from recipient
      where workspace_id = ${workspaceId} and lane = ${lane} and state = 'pending' and troubles = 0
        and next_at <= (select facteur_now())
        and next_at > coalesce(${from}::timestamptz, '-infinity')
      order by next_at limit ${max} for update skip locked
    ), picked as materialized (
      select *
      from (select * from troubled union all select * from healthy) as either
      order by next_at
      limit ${max}
    ), suppressed as materialized (
      select p.message_id, p.position, p.address_key, coalesce(s.reason, g.reason, e.reason) as reason
      from picked p
      left join suppression s on s.workspace_id = ${workspaceId} and s.email = p.address_key
        and not (p.passes_unsubscribe and s.reason = 'unsubscribe')
      left join platform_suppression g on g.email = p.address_key
      left join erased_suppression e on e.workspace_id = ${workspaceId}
        and e.digest = facteur_erasure_digest(
          (select erasure_salt from workspace where id = ${workspaceId}), p.address_key)
        and not (p.passes_unsubscribe and e.reason = 'unsubscribe')
      where s.email is not null or g.email is not null or e.digest is not null
    ), sized as materialized (
      select p.message_id, min(p.next_at) as first_at,
        (select coalesce(m.size, facteur_message_size(${workspaceId}, m.id)) from message m
         where m.workspace_id = ${workspaceId} and m.id = p.message_id) as bytes
      from picked p where (p.message_id, p.position) not in (select message_id, position from suppressed)
      group by p.message_id
    ), fitting as materialized (
      select message_id, bytes from (
        select *, sum(bytes) over (order by first_at, message_id) - bytes as bytes_before from sized
      ) as summed where bytes_before < ${bytesMax}
    ), claimed as (
      update recipient r
      set state = 'leased', next_at = facteur_now() + make_interval(secs => ${leaseSeconds}),
        fence = r.fence + 1, attempts = r.attempts + 1
      from picked p join fitting f on f.message_id = p.message_id
      where (p.message_id, p.position) not in (select message_id, position from suppressed)
        and r.workspace_id = ${workspaceId} and r.message_id = p.message_id and r.position = p.position
      returning r.message_id, r.position, r.fence, r.attempts, r.email, f.bytes
    ), passed as (
      select case
          when count(*) > (select count(*) from claimed) then min(next_at)
          when count(*) < ${max} then facteur_now()
          else max(next_at) end
        - ${lateSeconds} * interval '1 second' as passed_to
      from picked
    )
    select 'claimed' as kind, message_id, position, fence, attempts, email, bytes::int as bytes,
      null as reason, null as passed_to
    from claimed
    union all
    select distinct 'suppressed', null::uuid, null::smallint, null::int, null::smallint, address_key,
      null::int, reason, null::timestamptz
    from suppressed
    union all
    select 'passed', null, null, null, null, null, null, null, passed_to from passed`)
  const claimed: ClaimedRow[] = []
  const suppressed: SuppressedWithMail[] = []
  let passedTo: Date | null = null
  for (const row of rows) {
    if (row.kind === 'passed') passedTo = row.passedTo
    else if (row.kind === 'suppressed') suppressed.push({ email: row.email, reason: row.reason })
    else claimed.push(claimedRow(row))
  }
  if (passedTo === null) throw new Error('The claim did not answer how far it looked')
  return { claimed, suppressed, passedTo }
}

const claimedRow = ({
  messageId,
  position,
  fence,
  attempts,
  email,
  bytes,
}: ClaimedRow): ClaimedRow => ({
  ...{ messageId, position, fence, attempts, email, bytes },
})

/** A suppressed address that still has due rows. */
export interface SuppressedWithMail {
  /** Lower-cased. */
  email: string
  reason: SuppressionReason
}

/**
 * A row whose status became `failed`: the caller publishes `email.failed` in the same transaction.
 */
export interface FailedRow {
  messageId: string
  position: number
}

/** The parts that a message's bytes are made from, without its files. */
export interface MessageContent {
  messageId: string
  /** Mailboxes and free headers as they were admitted. */
  head: unknown
  subject: string
  messageIdHeader: string
  createdAt: Date
  html: string | null
  text: string | null
  /** Whether it has files (`messageAttachments`). */
  attachments: boolean
  /**
   * Bytes of the texts and files as they were admitted. Null means admitted by a version that did
   * not store it.
   */
  size: number | null
}

/** The contents of these messages, in no order. */
export function messageContents(
  db: Database,
  workspaceId: number,
  messageIds: string[],
): Promise<MessageContent[]> {
  return db.rows<MessageContent>(sql`
    select m.id as message_id, m.head, m.subject, m.message_id as message_id_header, m.created_at, b.html,
      b.text, m.size,
      (select true from attachment where workspace_id = ${workspaceId} and message_id = m.id
        and message_id >= ${lowestId(messageIds)} and message_id <= ${highestId(messageIds)}
          limit 1) is not null as attachments
    from message m
    -- One look-up by key each: a join, or an exists, might read all rows from the lowest identifier to
    -- the highest.
    cross join lateral (
      select html, text from message_body where workspace_id = ${workspaceId} and message_id = m.id
        and message_id >= ${lowestId(messageIds)} and message_id <= ${highestId(messageIds)} limit 1) b
    where m.workspace_id = ${workspaceId} and m.id = any (${messageIds}::uuid[])`)
}

/** A row as its holder identifies it. */
export interface LeasedRow {
  messageId: string
  position: number
  fence: number
}

/** Renews the leases that this holder still has; answers those rows. */
export function renewLeases(
  db: Database,
  workspaceId: number,
  leases: LeasedRow[],
  leaseSeconds: number,
): Promise<LeasedRow[]> {
  return db.rows<LeasedRow>(sql`
    with ours as materialized (
      -- Locked as outcomes lock them (db/sending/outcomes.ts), so that neither waits for the other in
      -- a circle.
      select h.message_id, h.position from (
        select *
        from ${rowList(leases, 'h', { uuid: ['messageId'], smallint: ['position'], int: ['fence'] })}
        order by message_id, position
      ) h
      cross join lateral (
        select fence, state from recipient
        where workspace_id = ${workspaceId} and message_id = h.message_id and position = h.position
        limit 1
        for update) r
      where r.fence = h.fence and r.state = 'leased'
    )
    update recipient r set next_at = facteur_now() + make_interval(secs => ${leaseSeconds})
    from ours
    where r.workspace_id = ${workspaceId} and r.message_id = ours.message_id and r.position = ours.position
    returning r.message_id, r.position, r.fence`)
}

/** How a doubt ends and when rows are given up. */
export interface DoubtRules extends Pick<
  VerdictRules,
  'retryFirstSeconds' | 'retryMaxSeconds' | 'queueLifeSeconds'
> {
  /** Whether a single message in doubt is sent again once, or held. */
  repeat: boolean
}

/**
 * Whether a lease has expired, or a doubt is to be decided. The look begins behind `from`, as that
 * of a claim does; `passedTo` is where the next one may begin if none has.
 */
export function isDoubtOverdue(
  db: Database,
  workspaceId: number,
  lane: Lane,
  from: Date | null = null,
): Promise<{ overdue: boolean; passedTo: Date }> {
  return db.onlyRow<{ overdue: boolean; passedTo: Date }>(sql`
    select exists (select
      from recipient
      where workspace_id = ${workspaceId} and lane = ${lane} and state = 'leased'
        and next_at <= (select facteur_now()) and next_at > coalesce(${from}::timestamptz, '-infinity'))
      or exists (select
        from recipient
        where workspace_id = ${workspaceId} and lane = ${lane} and state = 'in_doubt'
        and next_at <= (select facteur_now()) and next_at > coalesce(${from}::timestamptz, '-infinity'))
      as overdue, facteur_now() - ${lateSeconds} * interval '1 second' as passed_to`)
}

/**
 * Ends the claims of lost holders: the lease expired after the hand-off had started, so the mail
 * may have left. The row is in doubt. It is sent again once with the same bytes where the rules say
 * so; else it is held until feedback comes or `giveUpDoubts` decides. At the third trouble the row
 * is parked as failed. Answers the rows that failed.
 */
export function releaseLostLeases(
  db: Database,
  workspaceId: number,
  lane: Lane,
  rules: DoubtRules,
): Promise<FailedRow[]> {
  return db.rows<FailedRow>(sql`
    with lost as materialized (
      select message_id, position, status, troubles, lane, doubts, 'lost' as event from recipient
      where workspace_id = ${workspaceId} and lane = ${lane} and state = 'leased'
        and next_at <= (select facteur_now())
      order by next_at limit 1000 for update skip locked
    ), ended as materialized (
      select l.message_id, l.position, l.event, ${lostWorker}, l.status as known, l.troubles + 1 as troubled,
        facteur_now() as at,
        coalesce(m.scheduled_at,
          m.created_at) + make_interval(secs => ${rules.queueLifeSeconds}) as life_ends,
        ${rules.retryFirstSeconds}::float8 as retry_first, ${rules.retryMaxSeconds}::float8 as retry_max,
        ${rules.repeat} and l.lane = 'transactional' and l.doubts = 0 as repeats
      from lost l join message m on m.workspace_id = ${workspaceId} and m.id = l.message_id
    ), ${verdictsOfEnded}, changed as (
      update recipient r set fence = r.fence + 1, ${applyVerdictJToR}, ${applyVerdictJToMessageR}
      from verdicts j
      where r.workspace_id = ${workspaceId} and r.message_id = j.message_id and r.position = j.position
      returning r.message_id, r.position, j.becomes
    )
    select message_id, position from changed where becomes = 'failed'`)
}

/**
 * Gives up rows in doubt for which no feedback came in time: they are failed, and a late delivery
 * may still overrule it. Answers the rows that failed.
 */
export function giveUpDoubts(db: Database, workspaceId: number, lane: Lane): Promise<FailedRow[]> {
  return db.rows<FailedRow>(sql`
    with overdue as materialized (
      select message_id, position, status as was from recipient
      where workspace_id = ${workspaceId} and lane = ${lane} and state = 'in_doubt'
        and next_at <= (select facteur_now())
      order by next_at limit 1000 for update skip locked
    ), settled as (
      update recipient r
      set state = 'settled', settled_at = facteur_now(),
        status = case when o.was = 'queued' then 'failed' else r.status end,
        error = case
          when o.was = 'queued'
          then 'in doubt: handed over without an answer, and no delivery report arrived since'
          else r.error end,
        cause = case when o.was = 'queued' then 'doubt_ended' else r.cause end
      from overdue o
      where r.workspace_id = ${workspaceId} and r.message_id = o.message_id and r.position = o.position
      returning r.message_id, r.position, o.was
    )
    select message_id, position from settled where was = 'queued'`)
}

/** The files of a message, in their order. */
export async function messageAttachments(
  db: Database,
  workspaceId: number,
  messageId: string,
): Promise<AdmissionAttachment[]> {
  const files = await db.rows<AdmissionAttachment & { position: number; size: number }>(sql`
    select position, filename, content_type, content_id, octet_length(content) as size,
      substring(content for ${sliceBytes}) as content from attachment
    where workspace_id = ${workspaceId} and message_id = ${messageId} order by position`)
  const whole: AdmissionAttachment[] = []
  for (const { position, size, ...file } of files) {
    const content = size === file.content.length ? file.content : Buffer.allocUnsafe(size)
    if (content !== file.content) file.content.copy(content)
    for (let at = file.content.length; at < size;) {
      const [slice] = await db.rows<{ content: Buffer }>(sql`
        select substring(content from ${at + 1} for ${sliceBytes}) as content from attachment
        where workspace_id = ${workspaceId} and message_id = ${messageId} and position = ${position}`)
      if (!slice?.content.length) throw new Error('A file of the message is gone')
      at += slice.content.copy(content, at)
    }
    whole.push({ ...file, content })
  }
  return whole
}

/**
 * A statement reads this much of a file at once: in the server and on the wire, a file takes five
 * times its size.
 */
const sliceBytes = 1024 * 1024
