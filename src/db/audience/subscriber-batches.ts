/** Adds and changes the subscribers of a batch, all of them by one statement each. */
import { limits } from '../../contract/limits.ts'
import { fragment, rowShape } from '../../database/client/fragment.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'
import {
  noteForSearch,
  subscriberRowColumns,
  type SubscriberRow,
  type SubscriberState,
} from './subscribers.ts'

/** The state that decides whether an address may be added, and what room it has for tags. */
export interface KnownSubscriber extends SubscriberState {
  email: string
  tags: string[]
}

export function knownSubscribers(
  db: Database,
  workspaceId: number,
  emails: string[],
): Promise<KnownSubscriber[]> {
  return db.rows<KnownSubscriber>(sql`
    select email, status, tags,
      extract(epoch from facteur_now() - confirmation_sent_at)::float8 as asked_seconds_ago
    from subscriber where workspace_id = ${workspaceId} and email = any (${emails}::text[])`)
}

/** A subscriber of a batch; lists and objects are JSON. */
interface BatchRow {
  /** The lower-cased address. */
  email: string
  firstName: string | null
  lastName: string | null
  tags: string
  fields: string
  /** When the request to confirm leaves. Null if none does. */
  askedAt: Date | null
}

export interface BatchInsert extends BatchRow {
  id: string
  status: 'pending' | 'subscribed'
  source: 'api' | 'workspace'
}

const insertList = rowShape<BatchInsert>('n', {
  uuid: ['id'],
  text: ['email', 'status', 'firstName', 'lastName', 'source'],
  jsonb: ['tags', 'fields'],
  timestamptz: ['askedAt'],
})

/**
 * Adds subscribers; answers those that were not there. In the order of their addresses, so that two
 * writers never wait for each other in a circle.
 */
export function insertBatch(
  tx: Database,
  workspaceId: number,
  rows: BatchInsert[],
): Promise<SubscriberRow[]> {
  return tx.rows<SubscriberRow>(sql`
    with stored as (
      insert into subscriber (workspace_id, id, email, status, first_name, last_name, tags, fields, source,
        created_at, updated_at, confirmation_sent_at)
      select ${workspaceId}, n.id, n.email, n.status, n.first_name, n.last_name,
        array(select jsonb_array_elements_text(n.tags)),
        n.fields, n.source, at, at, n.asked_at
      from (select date_trunc('milliseconds', facteur_now()) as at) moment, ${insertList(rows)}
      order by n.email
      on conflict (workspace_id, email) do nothing
      returning *
    ), tallied as (
      insert into subscriber_tally (workspace_id, change)
      select ${workspaceId}, count(*) from stored where status = 'subscribed' having count(*) > 0
    ), ${noteForSearch(workspaceId, fragment`stored`)}
    select ${subscriberRowColumns} from stored`)
}

export interface BatchUpdate extends BatchRow {
  /** Whether the name is left as it is, or becomes the given one: null clears it. */
  keepsFirst: boolean
  keepsLast: boolean
  /** Keys of fields that an empty value clears. */
  cleared: string
}

const updateList = rowShape<BatchUpdate>('u', {
  text: ['email', 'firstName', 'lastName'],
  boolean: ['keepsFirst', 'keepsLast'],
  jsonb: ['tags', 'fields', 'cleared'],
  timestamptz: ['askedAt'],
})

/**
 * Merges data into pending and subscribed subscribers; answers those that were, and had room for
 * their tags. `asks`: the request to confirm is to leave, since the last one is older than
 * `askAfterSeconds`.
 */
export function updateBatch(
  tx: Database,
  workspaceId: number,
  rows: BatchUpdate[],
  askAfterSeconds: number,
): Promise<(SubscriberRow & { asks: boolean })[]> {
  return tx.rows<SubscriberRow & { asks: boolean }>(sql`
    with known as materialized (
      select s.id, u.*, s.status = 'pending' and u.asked_at is not null
        and coalesce(
          s.confirmation_sent_at <= facteur_now() - make_interval(secs => ${askAfterSeconds}::float8),
          true) as asks
      from (select * from ${updateList(rows)} order by email) u
      cross join lateral (
        select id, status, confirmation_sent_at from subscriber
        where workspace_id = ${workspaceId} and email = u.email and status in ('pending', 'subscribed')
        for no key update) s
    ), added as materialized (
      select k.*, array(select t from jsonb_array_elements_text(k.tags) t where t <> all (s.tags)) as new_tags
      from known k cross join lateral (
        select tags from subscriber where workspace_id = ${workspaceId} and id = k.id) s
    ), stored as (
      update subscriber s set
        first_name = case when a.keeps_first then s.first_name else a.first_name end,
        last_name = case when a.keeps_last then s.last_name else a.last_name end,
        tags = s.tags || a.new_tags,
        fields = (s.fields || a.fields) - array(select jsonb_array_elements_text(a.cleared)),
        updated_at = date_trunc('milliseconds', facteur_now()),
        confirmation_sent_at = case when a.asks then a.asked_at else s.confirmation_sent_at end
      from added a where s.workspace_id = ${workspaceId} and s.id = a.id
        and (a.new_tags = '{}'
        or cardinality(s.tags) + cardinality(a.new_tags) <= ${limits.subscriberTagsInAllMax})
      returning s.*, a.asks
    ), ${noteForSearch(workspaceId, fragment`stored`)}
    select ${subscriberRowColumns}, asks from stored`)
}

interface AskedSubscriber {
  id: string
  askedAt: Date | null
}

const askedList = rowShape<AskedSubscriber>('a', { uuid: ['id'], timestamptz: ['askedAt'] })

/** Sets when the requests to confirm of these subscribers leave. */
export async function setConfirmationTimes(
  tx: Database,
  workspaceId: number,
  requests: AskedSubscriber[],
): Promise<void> {
  await tx.count(sql`
    update subscriber s set confirmation_sent_at = a.asked_at
    from ${askedList(requests)} where s.workspace_id = ${workspaceId} and s.id = a.id`)
}
