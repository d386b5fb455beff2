/**
 * Events for webhooks: which types have subscriptions, each body stored once with its pending
 * deliveries, and the order of their commits.
 */
import { limits } from '../../contract/limits.ts'
import type { EventType } from '../../contract/events.ts'
import { rowList } from '../../database/client/fragment.ts'
import { sql } from '../../database/client/sql.ts'
import type { Connection } from '../../database/client/connect.ts'
import type { Database } from '../../database/client/database.ts'
import { idsStoredFrom, storedSince } from '../retention/stored-since.ts'

/**
 * Types with a subscription in the workspace, enabled or not: one look-up by key. Check it before
 * making events: most workspaces subscribe to none.
 */
export async function subscribedTypesOf(
  db: Database,
  workspaceId: number,
): Promise<ReadonlySet<EventType>> {
  return new Set(
    await db.column<EventType>(sql`
    select distinct unnest(events) as type from webhook where workspace_id = ${workspaceId}`),
  )
}

/** One event before it has an identifier and a time. */
export interface EventToStore {
  type: EventType
  /** JSON. */
  data: string
}

/**
 * Stores events with a subscription, with a delivery for each enabled one, and lowers the lane
 * `webhook` of due. Answers how many deliveries are pending now.
 *
 * Concurrent publishers share the lane's row, held to the end of the transaction. A transaction
 * that has it alone (`raiseWebhookDue`, `eventPage`) waits for them. Identifier, time and position
 * are taken behind that lock, so that an event which is committed later has a later position.
 */
export function insertEvents(
  tx: Database,
  workspaceId: number,
  events: EventToStore[],
): Promise<number> {
  const types = events.map(({ type }) => type)
  // 1. hooks: the webhooks that ask for one of the types.
  // 2. known, hint: the lane is due now; its row is locked, so that what follows is behind the lock.
  // 3. moment, undecided, stamped: each event that is asked for gets its time, identifier and place.
  // 4. kept, queued: the events, and a delivery for each enabled webhook.
  // 5. held: after a restore, deliveries of what may have been published before wait for a decision.
  return tx.onlyValue<number>(sql`
    with hooks as materialized (
      select id, events, enabled
      from webhook
      where workspace_id = ${workspaceId} and events && ${types}::text[]
    ), known as materialized (
      select next_at <= facteur_now() as is_due from due
      where workspace_id = ${workspaceId} and lane = 'webhook' and exists (select from hooks) for key share
    ), hint as (
      insert into due (workspace_id, lane, next_at)
      select ${workspaceId}, 'webhook', facteur_now()
      where exists (select from hooks) and not exists (select from known where is_due)
      on conflict (workspace_id, lane) do update set next_at = least(due.next_at, excluded.next_at)
      returning 1
    ), moment as materialized (
      select date_trunc('milliseconds', facteur_now()) as at from (select count(*) from hint) after_hint
    ), undecided as materialized (
      select held_at from undecided_workspace where workspace_id = ${workspaceId}
    ), stamped as materialized (
      select e.type, e.data, m.at,
        exists (
          select from undecided
          where e.type = any (${retainedTypes}::text[])
            and (e.data::json ->> 'created_at')::timestamptz <= held_at) as is_held,
        facteur_event_id(m.at, e.place) as id, nextval('event_order') as place
      from moment m cross join ${rowList(events, 'e', { text: ['type', 'data'] }, 'place')}
      where exists (select from hooks where e.type = any (events))
    ), kept as (
      insert into event (workspace_id, id, place, type, body, created_at)
      select ${workspaceId}, id, place, type,
        '{"id":"evt_' || replace(id::text, '-', '') || '","type":"' || type || '","created_at":"'
          || to_char(m.at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '","data":' || data || '}',
        m.at
      -- Citus does not bring a list to a part without a table, unless another one reads it too:
      -- nothing would be stamped.
      from stamped cross join moment m
    ), queued as (
      insert into webhook_delivery (workspace_id, webhook_id, event_id, type, next_at, created_at)
      select ${workspaceId}, h.id, s.id, s.type, case when not s.is_held then s.at end, s.at
      from stamped s join hooks h on h.enabled and s.type = any (h.events)
      returning webhook_id, event_id, next_at, created_at
    ), held as (
      insert into held_work (workspace_id, kind, id, part, at)
      select ${workspaceId}, 'delivery', webhook_id, event_id, created_at from queued where next_at is null
    )
    select count(next_at)::int as pending from queued`)
}

/**
 * What became of a mail: after a restore these may have been published before, and wait for the
 * operator's decision.
 */
const retainedTypes: readonly EventType[] = [
  'email.delivered',
  'email.bounced',
  'email.complained',
  'email.failed',
  'email.suppressed',
]

/**
 * Bodies in the order of their commits, from after an event on (`after` null: from the oldest
 * stored); null when that event is not known. It waits for running publishers, so that no event
 * appears before a position already read.
 */
export function eventPage(
  db: Connection,
  workspaceId: number,
  { after, max }: { after: string | null; max: number },
): Promise<{ bodies: string[]; uncutCount: number } | null> {
  return db.transaction(async (tx) => {
    await tx.rows(
      sql`select 1 from due where workspace_id = ${workspaceId} and lane = 'webhook' for update`,
    )
    const [known] =
      after === null
        ? [{ place: await placeBeforeStored(tx, workspaceId) }]
        : await tx.rows<{ place: number }>(sql`
      select place
      from event
      where workspace_id = ${workspaceId} and id = ${after}
        and id >= ${idsStoredFrom(workspaceId, 'events')}`)
    if (!known) return null
    // Only what fits a page is read whole, and at least one body: the length of a stored text is
    // known without reading it.
    const rows = await tx.rows<{ body: string; uncutCount: number }>(sql`
      select e.body, summed.uncut_count::int as uncut_count from (
        select id, place, count(*) over () as uncut_count, row_number() over (order by place) as line,
          sum(bytes) over (order by place) as bytes
        from (
          select id, place, octet_length(body) as bytes from event
          where workspace_id = ${workspaceId} and place > ${known.place} and not test
            and id >= ${idsStoredFrom(workspaceId, 'events')}
          order by place
          limit ${max}
        ) page
      ) summed join event e on e.workspace_id = ${workspaceId} and e.id = summed.id
      where summed.line = 1 or summed.bytes <= ${limits.pageBytesMax}
      order by summed.place`)
    return { bodies: rows.map(({ body }) => body), uncutCount: rows[0]?.uncutCount ?? 0 }
  })
}

/**
 * A place before the oldest event that has not expired. Expired ones stay in the order until their
 * partition goes: a page need not pass them. Events get their places about when they get their
 * identifiers.
 */
const placeBeforeStored = (tx: Database, workspaceId: number): Promise<number> =>
  tx.onlyValue<number>(sql`
    select coalesce(min(place) - 1, 0) as place from (
      select place from event
      where workspace_id = ${workspaceId}
        and id >= (select facteur_events_from(
          facteur_stored_since(${workspaceId}, ${storedSince.events}) - interval '1 minute'))
      order by id limit 1000
    ) oldest`)

/**
 * Deletes events whose body contains this lower-case text, with their entries, among the next
 * `max`; answers the last one that was read, null at the end.
 */
export async function deleteEventsNaming(
  tx: Database,
  workspaceId: number,
  { text, after, max }: { text: string; after: string; max: number },
): Promise<string | null> {
  const [row] = await tx.rows<{ scannedCount: number; last: string | null }>(sql`
    with page as materialized (
      select id, strpos(lower(body), ${text}) > 0 as names from event
      where workspace_id = ${workspaceId} and id > ${after} order by id limit ${max}
    ), named as materialized (
      select id from page where names
    ), entries as (
      delete from webhook_delivery d using webhook w, named n
      where w.workspace_id = ${workspaceId} and d.workspace_id = ${workspaceId} and d.webhook_id = w.id
        and d.event_id = n.id
    ), events as (
      delete from event e using named n where e.workspace_id = ${workspaceId} and e.id = n.id
    )
    select count(*)::int as scanned_count, (select id from page order by id desc limit 1) as last from page`)
  return row && row.scannedCount === max ? row.last : null
}
