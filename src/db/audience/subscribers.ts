/**
 * Subscribers: statements that add, change and remove them. Each writing statement also writes two
 * other tables. `subscriber_search_pending`, with the lane `subscribers` of due, gets each new or
 * renamed subscriber. `subscriber_tally` changes with each one who becomes subscribed or ceases to
 * be.
 */
import { limits } from '../../contract/limits.ts'
import type { SubscriberStatus } from '../../contract/subscribers.ts'
import { fragment, rowShape, part, type Fragment } from '../../database/client/fragment.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'

export interface SubscriberRow {
  id: string
  email: string
  status: SubscriberStatus
  firstName: string | null
  lastName: string | null
  tags: string[]
  fields: Record<string, string>
  source: string
  createdAt: Date
  updatedAt: Date
  confirmedAt: Date | null
  unsubscribedAt: Date | null
  confirmationSentAt: Date | null
}

export const subscriberRowColumns = fragment`
  id, email, status, first_name, last_name, tags, fields, source, created_at,
      updated_at, confirmed_at, unsubscribed_at, confirmation_sent_at`

export interface NewSubscriber {
  id: string
  /** The lower-cased address. */
  email: string
  /**
   * `confirmation`: of a pending one, whether the request to confirm goes out in this transaction.
   */
  status: 'pending' | 'subscribed'
  confirmation: boolean
  firstName: string | null
  lastName: string | null
  tags: readonly string[]
  fields: Record<string, string>
  source: 'api' | 'form' | 'workspace'
}

/**
 * Adds a subscriber; null when the address is there already, also when a concurrent call added it.
 */
export function insertSubscriber(
  tx: Database,
  workspaceId: number,
  contact: NewSubscriber,
): Promise<SubscriberRow | null> {
  return tx.row<SubscriberRow>(sql`
    with stored as (
      insert into subscriber (workspace_id, id, email, status, first_name, last_name, tags, fields, source,
        created_at, updated_at, confirmation_sent_at)
      select ${workspaceId}, ${contact.id}, ${contact.email}, ${contact.status}, ${contact.firstName},
        ${contact.lastName}, ${contact.tags}::text[],
        ${JSON.stringify(contact.fields)}::jsonb, ${contact.source}, at, at,
        case when ${contact.confirmation} then at end
      from (select date_trunc('milliseconds', facteur_now()) as at) moment
      on conflict (workspace_id, email) do nothing
      returning *
    ), tallied as (
      insert into subscriber_tally (workspace_id, change)
      select ${workspaceId}, 1
      from stored
      where status = 'subscribed'
    ), ${noteForSearch(workspaceId, fragment`stored`)}
    select ${subscriberRowColumns} from stored`)
}

/** Notes the subscribers of the list `of` for the search, and that its lane has work. */
export const noteForSearch = (workspaceId: number, of: Fragment): Fragment => part`unsearched as (
      -- The update of an existing note keeps workers from deleting it before this commits.
      insert into subscriber_search_pending (workspace_id, subscriber_id)
      select ${workspaceId}, id
      from ${of}
      on conflict (workspace_id, subscriber_id) do update set subscriber_id = excluded.subscriber_id
    ), hinted as materialized (
      -- Concurrent writers share the lock; a worker that would delete the row waits for them
      -- (db/sending/due.ts).
      select next_at from due where workspace_id = ${workspaceId} and lane = 'subscribers' for key share
    ), hint as (
      insert into due (workspace_id, lane, next_at)
      select ${workspaceId}, 'subscribers', min(updated_at)
      from ${of}
      where not exists (select from hinted) having count(*) > 0
      on conflict (workspace_id, lane) do update set next_at = least(due.next_at, excluded.next_at)
    )`

/** Changes of a known subscriber: absent keys stay. */
export interface SubscriberChange {
  email: string
  /** Undefined leaves it, null clears it. */
  firstName: string | null | undefined
  lastName: string | null | undefined
  /** Added to the existing ones. */
  tags: string[]
  /** Merged into the existing ones; an empty value clears. */
  fields: Record<string, string>
  /**
   * A pending subscriber gets another confirmation mail once the last one is this old. Null means
   * never.
   */
  askAfterSeconds: number | null
}

/**
 * Merges the data into a pending or active subscriber; null when there is none. `asks`: the
 * confirmation mail is to go out again, in this transaction.
 */
export function updateSubscriber(
  tx: Database,
  workspaceId: number,
  change: SubscriberChange,
): Promise<(SubscriberRow & { asks: boolean }) | null> {
  const cleared = Object.keys(change.fields).filter((key) => change.fields[key] === '')
  return tx.row<SubscriberRow & { asks: boolean }>(sql`
    with known as materialized (
      select id, status = 'pending'
        and coalesce(
          confirmation_sent_at <= facteur_now() - make_interval(secs => ${change.askAfterSeconds}::float8),
          ${change.askAfterSeconds}::float8 is not null) as asks
      from subscriber
      where workspace_id = ${workspaceId} and email = ${change.email} and status in ('pending', 'subscribed')
      for no key update
    ), stored as (
      update subscriber s set
        first_name = case when ${change.firstName === undefined} then s.first_name
          else ${change.firstName ?? null} end,
        last_name = case when ${change.lastName === undefined} then s.last_name
          else ${change.lastName ?? null} end,
        -- Adds as many as there is room for; existing ones stay, even if an older version allowed more.
        tags = s.tags || array(select t from unnest(${change.tags}::text[]) t where t <> all (s.tags)
          limit greatest(0, ${limits.subscriberTagsInAllMax} - cardinality(s.tags))),
        fields = (s.fields || ${JSON.stringify(change.fields)}::jsonb) - ${cleared}::text[],
        updated_at = date_trunc('milliseconds', facteur_now()),
        confirmation_sent_at = case when coalesce(k.asks, false) then (select facteur_now())
          else s.confirmation_sent_at end
      from known k where s.workspace_id = ${workspaceId} and s.id = k.id
      returning s.*, coalesce(k.asks, false) as asks
    ), ${noteForSearch(workspaceId, fragment`stored`)}
    select ${subscriberRowColumns}, asks from stored`)
}

/** An edit of a subscriber by a user. */
export interface SubscriberEdit extends Pick<SubscriberChange, 'tags' | 'fields'> {
  id: string
  /** Undefined leaves it, an empty text clears it. */
  firstName: string | undefined
  lastName: string | undefined
  /** Tags to remove. */
  removed: string[]
}

/** Edits a subscriber in any status; null when there is none. */
export function editSubscriberRow(
  tx: Database,
  workspaceId: number,
  edit: SubscriberEdit,
): Promise<SubscriberRow | null> {
  const cleared = Object.keys(edit.fields).filter((key) => edit.fields[key] === '')
  return tx.row<SubscriberRow>(sql`
    with stored as (
      update subscriber s set
        first_name = case when ${edit.firstName === undefined} then s.first_name
          else nullif(${edit.firstName ?? ''}, '') end,
        last_name = case when ${edit.lastName === undefined} then s.last_name
          else nullif(${edit.lastName ?? ''}, '') end,
        tags = array(select t from unnest(s.tags) t where t <> all (${edit.removed}::text[]))
          || array(select t
            from unnest(${edit.tags}::text[]) t
            where t <> all (s.tags) or t = any (${edit.removed}::text[])
            limit greatest(0,
              ${limits.subscriberTagsInAllMax} - (select count(*)
                from unnest(s.tags) t
                where t <> all (${edit.removed}::text[])))),
        fields = (s.fields || ${JSON.stringify(edit.fields)}::jsonb) - ${cleared}::text[],
        updated_at = date_trunc('milliseconds', facteur_now())
      where workspace_id = ${workspaceId} and id = ${edit.id}
      returning s.*
    ), ${noteForSearch(workspaceId, fragment`stored`)}
    select ${subscriberRowColumns} from stored`)
}

export function subscriberByEmail(
  db: Database,
  workspaceId: number,
  email: string,
): Promise<SubscriberRow | null> {
  return db.row<SubscriberRow>(sql`
    select ${subscriberRowColumns}
    from subscriber where workspace_id = ${workspaceId} and email = ${email}`)
}

/** Those of the lower-cased addresses whose owners confirmed them by a click and are subscribed. */
export const confirmedAmong = (
  db: Database,
  workspaceId: number,
  emails: string[],
): Promise<string[]> =>
  db.column<string>(sql`
    select email from subscriber
    where workspace_id = ${workspaceId} and email = any (${emails}::text[]) and status = 'subscribed'
      and confirmed_at is not null`)

/**
 * The state that decides whether an address may be added, and whether it gets a confirmation mail.
 */
export interface SubscriberState {
  status: SubscriberStatus
  /** Since the last request to confirm; null when there was none. */
  askedSecondsAgo: number | null
}

export function subscriberStatusOf(
  db: Database,
  workspaceId: number,
  email: string,
): Promise<SubscriberState | null> {
  return db.row<SubscriberState>(sql`
    select status, extract(epoch from facteur_now() - confirmation_sent_at)::float8 as asked_seconds_ago
    from subscriber where workspace_id = ${workspaceId} and email = ${email}`)
}

export function subscriberById(
  db: Database,
  workspaceId: number,
  id: string,
): Promise<SubscriberRow | null> {
  return db.row<SubscriberRow>(sql`
    select ${subscriberRowColumns}
    from subscriber where workspace_id = ${workspaceId} and id = ${id}`)
}

export interface ChangedSubscriber {
  id: string
  email: string
  was: SubscriberStatus
  status: SubscriberStatus
  at: Date
}

interface SubscriberMove {
  email: string
  becomes: 'unsubscribed' | 'bounced' | 'complained'
}

const moveList = rowShape<SubscriberMove>('t', { text: ['email', 'becomes'] })

/**
 * Moves the subscribers of these addresses (each named once) out of the audience, in the
 * transaction that suppresses the addresses. `unsubscribed` is an explicit act and applies to any
 * status. `bounced` and `complained` are feedback: they change pending and active subscribers, and
 * a complaint also bounced ones. An unsubscribed one stays so. Answers the changed ones.
 */
export function updateSubscriberStatuses(
  tx: Database,
  workspaceId: number,
  moves: SubscriberMove[],
): Promise<ChangedSubscriber[]> {
  return tx.rows<ChangedSubscriber>(sql`
    with locked as materialized (
      select s.id, s.status as was, m.becomes
      from (select * from ${moveList(moves)} order by email) m
      cross join lateral (
        select id, status
        from subscriber
        where workspace_id = ${workspaceId} and email = m.email
        for no key update) s
    ), moved as (
      update subscriber s set status = h.becomes, updated_at = moment.at,
        unsubscribed_at = case when h.becomes = 'unsubscribed' then moment.at else s.unsubscribed_at end
      from locked h cross join (select date_trunc('milliseconds', facteur_now()) as at) moment
      where s.workspace_id = ${workspaceId} and s.id = h.id
        and case when h.becomes = 'unsubscribed' then h.was <> 'unsubscribed'
                 else h.was in ('pending', 'subscribed') or h.was = 'bounced' and h.becomes = 'complained' end
      returning s.id, s.email, h.was, s.status, moment.at
    ), tallied as (
      insert into subscriber_tally (workspace_id, change)
      select ${workspaceId}, -count(*) from moved where was = 'subscribed' having count(*) > 0
    )
    select id, email, was, status, at from moved order by email`)
}

/**
 * Subscribes a contact who confirmed, from any status: the caller checked that this is allowed,
 * under the lock of `lockSubscriber`.
 */
export async function subscribe(tx: Database, workspaceId: number, id: string): Promise<void> {
  await tx.count(sql`
    with moved as (
      update subscriber set status = 'subscribed', confirmed_at = at, updated_at = at, unsubscribed_at = null
      from (select date_trunc('milliseconds', facteur_now()) as at) moment
      where workspace_id = ${workspaceId} and id = ${id} and status <> 'subscribed'
      returning id
    )
    insert into subscriber_tally (workspace_id, change) select ${workspaceId}, 1 from moved`)
}

/** The status, locked for the transaction; null when there is no such subscriber. */
export function lockSubscriber(
  tx: Database,
  workspaceId: number,
  id: string,
): Promise<SubscriberStatus | null> {
  return tx.value<SubscriberStatus>(sql`
    select status from subscriber where workspace_id = ${workspaceId} and id = ${id} for no key update`)
}

/**
 * How many a campaign would reach: subscribed, and not suppressed. No subscriber is both subscribed
 * and suppressed by their workspace (core/suppression/suppress-address.ts); this subtracts those
 * that the platform suppresses.
 */
export function countReachable(db: Database, workspaceId: number): Promise<number> {
  return db.onlyValue<number>(sql`
    select coalesce((select sum(change) from subscriber_tally where workspace_id = ${workspaceId}),
      0)::int8 - (
      select count(*) from platform_suppression g where (
        select s.status
        from subscriber s
        where s.workspace_id = ${workspaceId} and s.email = g.email) = 'subscribed') as reachable`)
}

/** Folds the tally of a workspace into one row, unless it is short. */
export async function foldTally(db: Database, workspaceId: number, rowsMin: number): Promise<void> {
  await db.count(sql`
    with many as materialized (
      select id from subscriber_tally where workspace_id = ${workspaceId} limit ${rowsMin}
    ), gone as (
      delete from subscriber_tally
      where workspace_id = ${workspaceId} and (select count(*) from many) = ${rowsMin}
      returning change
    )
    insert into subscriber_tally (workspace_id, change)
    select ${workspaceId}, sum(change)
    from gone
    having count(*) > 0`)
}
