/**
 * Holds after a restore what was pending in the copy, in one transaction: it may have left since
 * the copy was made. Hot statements stay as they are. Single mails change into a lane that no
 * worker claims, campaigns are paused or drafts again, and deliveries and sign-ups are no longer
 * due; `held_work` remembers what they were.
 */
import { DatabaseClient } from '../../database/client/database-client.ts'
import type { Database } from '../../database/client/database.ts'
import { databaseOn } from '../../database/client/camel-case-rows.ts'
import { fragment } from '../../database/client/fragment.ts'
import { home } from '../../database/client/search-path.ts'
import { sql } from '../../database/client/sql.ts'
import {
  forgetCopy,
  readIdentity,
  storeIdentity,
} from '../../database/transport/database-identity.ts'

/** Nothing happens unless a restore left something to hold. Answers whether it did. */
export async function withholdPending(connectionString: string): Promise<boolean> {
  return withLongTransaction(connectionString, async (tx) => {
    // A second process waits here, and then finds it done: what it accepts later is not held.
    const isDue = await tx.changes(
      sql`select 1 from installation where restored_at is not null and held_at is null for update`,
    )
    if (!isDue) return false
    for (const workspaceId of await tx.column<number>(sql`select id from workspace order by id`)) {
      for (const hold of [
        withholdMessages,
        withholdCampaigns,
        withholdDeliveries,
        withholdSignUps,
        withholdImports,
        stopBulkChanges,
        awaitDecision,
      ])
        await hold(tx, workspaceId)
    }
    // Sessions and links that ended since the copy would open the pages again; so would invitations
    // that were withdrawn.
    await tx.count(sql`delete from user_session`)
    await tx.count(sql`delete from user_link where purpose in ('reset', 'invitation')`)
    await tx.count(sql`update ${home}installation set held_at = facteur_now()`)
    return true
  })
}

/**
 * Marks a database that other tools restored, as a person says, so that `withholdPending` has
 * something
 * to do.
 */
export async function markRestoredByOthers(connectionString: string): Promise<void> {
  const identity = await readIdentity(connectionString)
  await withLongTransaction(connectionString, async (tx) => {
    await storeIdentity(tx, identity)
    await forgetCopy(tx)
    await markRestored(tx)
  })
}

/**
 * The same by itself at a start on a copy that nobody marked. Answers what shows it. Null if it is
 * no copy.
 */
export async function markUnknownCopy(connectionString: string): Promise<string | null> {
  const identity = await readIdentity(connectionString)
  return withLongTransaction(connectionString, async (tx) => {
    const shownBy = await storeIdentity(tx, identity)
    if (shownBy !== null) await markRestored(tx)
    return shownBy
  })
}

/** The newest mail or event in it shows from which moment it is. */
async function markRestored(tx: Database): Promise<void> {
  const from = await tx.value<Date>(sql`
    select max(greatest(
      (select created_at from message where workspace_id = w.id order by id desc limit 1),
      (select created_at from event where workspace_id = w.id order by place desc limit 1)))
    from workspace w`)
  await tx.count(
    sql`update ${home}installation set restored_at = facteur_now(), held_at = null, restored_from = ${from}`,
  )
}

/** A million rows change in seconds, and no limit of a session ends that. */
async function withLongTransaction<T>(
  connectionString: string,
  work: (tx: Database) => Promise<T>,
): Promise<T> {
  const client = new DatabaseClient({
    connectionString,
    application_name: 'facteur restore',
    connectionTimeoutMillis: 10_000,
  })
  await client.connect()
  try {
    await client.query('begin')
    const result = await work(databaseOn(client))
    await client.query('commit')
    return result
  } finally {
    // Without a commit the transaction ends with the connection.
    await client.end().catch(() => undefined)
  }
}

/**
 * Whatever their state. Their holder is gone: once they are released, a lease is over, and a doubt
 * is decided. A lease was due at the moment of the copy at the latest, which a review shows.
 */
async function withholdMessages(tx: Database, workspaceId: number): Promise<void> {
  await tx.count(sql`
    update recipient
    set lane = 'held', next_at = case when state = 'leased' then (select ${momentOfCopy}) else next_at end
    where workspace_id = ${workspaceId} and lane = 'transactional' and state <> 'settled'`)
}

/**
 * A scheduled campaign becomes a draft, one that is sending is paused; so is one that was cancelled
 * and is not at its end.
 */
async function withholdCampaigns(tx: Database, workspaceId: number): Promise<void> {
  await tx.count(sql`
    with matching as materialized (
      select id, status, scheduled_at, coalesce(canceled_at, paused_at) as paused_at,
        case when canceled_at is not null then 'canceled' else pause_reason end as pause_reason
      from campaign
      where workspace_id = ${workspaceId}
        and (status = 'scheduled' or status = 'sending' and pause_reason is distinct from 'restore')
    ), remembered as (
      insert into held_work (workspace_id, kind, id, part, at, was)
      select ${workspaceId}, 'campaign', id, id,
        case when status = 'scheduled' then scheduled_at else paused_at end,
        case when status = 'scheduled' then 'scheduled' else pause_reason end
      from matching
      on conflict (workspace_id, kind, id, part) do update set at = excluded.at, was = excluded.was
    ), ended as (
      -- Their holder is gone. Those past the final dot are in doubt now, the others pending.
      update campaign_recipient r
      set leased_until = facteur_now(),
        next_at = case when r.next_at is not null then (select facteur_now()) end
      from matching f join campaign_run p on p.workspace_id = ${workspaceId} and p.campaign_id = f.id
      where r.workspace_id = ${workspaceId} and r.campaign_id = f.id and r.state = 'leased'
        and (r.subscriber_id > p.low_water and r.subscriber_id <= p.claimed_to or r.next_at is not null)
    ), stopped as (
      update campaign_run p set opens_at = 'infinity' from matching f
      where p.workspace_id = ${workspaceId} and p.campaign_id = f.id and f.status = 'sending'
    )
    update campaign c set updated_at = date_trunc('milliseconds', facteur_now()),
      status = case when f.status = 'scheduled' then 'draft' else c.status end,
      scheduled_at = case when f.status = 'scheduled' then null else c.scheduled_at end,
      notice = case when f.status = 'scheduled' then 'restore' else c.notice end,
      paused_at = case when f.status = 'sending' then (select date_trunc('milliseconds', facteur_now())) end,
      pause_reason = case when f.status = 'sending' then 'restore' end,
      canceled_at = case when f.status = 'sending' then null else c.canceled_at end
    from matching f where c.workspace_id = ${workspaceId} and c.id = f.id`)
}

/** Now where it is not known. */
const momentOfCopy = fragment`least(facteur_now(), (select restored_from from installation))`

async function withholdDeliveries(tx: Database, workspaceId: number): Promise<void> {
  await tx.count(sql`
    with matching as materialized (
      select webhook_id, event_id,
        case when is_leased then least(next_at, ${momentOfCopy}) else next_at end as next_at
      from webhook_delivery where workspace_id = ${workspaceId} and next_at is not null
    ), remembered as (
      insert into held_work (workspace_id, kind, id, part, at)
      select ${workspaceId}, 'delivery', webhook_id, event_id, next_at from matching
      on conflict (workspace_id, kind, id, part) do update set at = excluded.at
    )
    update webhook_delivery d set next_at = null, is_leased = false, fence = d.fence + 1 from matching f
    where d.workspace_id = ${workspaceId} and d.webhook_id = f.webhook_id and d.event_id = f.event_id`)
}

async function withholdSignUps(tx: Database, workspaceId: number): Promise<void> {
  await tx.count(sql`
    with matching as materialized (
      select id, next_at from sign_up where workspace_id = ${workspaceId} and next_at is not null
    ), remembered as (
      insert into held_work (workspace_id, kind, id, part, at)
      select ${workspaceId}, 'sign_up', id, id, next_at
      from matching
      on conflict (workspace_id, kind, id, part) do update set at = excluded.at
    )
    update sign_up s
    set next_at = null
    from matching f
    where s.workspace_id = ${workspaceId} and s.id = f.id`)
}

/** An import may ask each new subscriber to confirm. */
async function withholdImports(tx: Database, workspaceId: number): Promise<void> {
  await tx.count(sql`
    with matching as materialized (
      select id, next_at from import_file where workspace_id = ${workspaceId} and state = 'importing'
    ), remembered as (
      insert into held_work (workspace_id, kind, id, part, at)
      select ${workspaceId}, 'import', id, id, next_at
      from matching
      on conflict (workspace_id, kind, id, part) do update set at = excluded.at
    )
    update import_file i
    set state = 'stopped', next_at = null, fence = i.fence + 1,
      ended_at = date_trunc('milliseconds', facteur_now())
    from matching f where i.workspace_id = ${workspaceId} and i.id = f.id`)
}

/** A change of many contacts was confirmed for the audience as it was: a member begins it again. */
async function stopBulkChanges(tx: Database, workspaceId: number): Promise<void> {
  await tx.count(sql`
    update bulk_change
    set state = 'stopped', next_at = null, slot = null, fence = fence + 1,
      parameters = parameters - array['reason', 'value', 'address'],
      ended_at = date_trunc('milliseconds', facteur_now())
    where workspace_id = ${workspaceId} and next_at is not null`)
}

/**
 * Until the operator decides, delivery events of older mail and our own notices wait too
 * (db/events/events.ts, db/sending/notices.ts). A workspace without a domain has never sent.
 */
async function awaitDecision(tx: Database, workspaceId: number): Promise<void> {
  await tx.count(sql`
    with held as materialized (
      select facteur_now() as at
      where exists (select from domain where workspace_id = ${workspaceId})
    )
    insert into undecided_workspace (workspace_id, held_at)
    select ${workspaceId}::bigint, at from held
    on conflict (workspace_id) do update set held_at = excluded.held_at`)
}
