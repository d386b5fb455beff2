/** The frozen contacts of changes of many, and the statements that change a batch of them. */
import { limits } from '../../../contract/limits.ts'
import { fragment, part, type Fragment } from '../../../database/client/fragment.ts'
import { sql, unprepared } from '../../../database/client/sql.ts'
import type { Database } from '../../../database/client/database.ts'
import { allowSweeps } from '../../../database/planner/allow-sweeps.ts'
import { selectedBy, type Selection } from '../segments/segment-members.ts'
import { noteForSearch, subscriberRowColumns, type SubscriberRow } from '../subscribers.ts'
import type { BulkParameters, LeftOutReason } from './bulk-changes.ts'

/** A frozen contact; `outcome`: what became of it, where a killed process stored that. */
export interface FrozenContact {
  id: string
  outcome: string | null
}

/**
 * Freezes the contacts that a definition selects, of `among` only where it is given; answers how
 * many. Rejects with the SQLSTATE 57014 after `timeoutMs`.
 */
export async function freezeContacts(
  tx: Database,
  { context, definition }: Selection,
  { id, among, timeoutMs }: { id: string; among: string[] | null; timeoutMs: number },
): Promise<number> {
  const long = among === null ? await allowSweeps(tx, timeoutMs) : unprepared
  const only = among === null ? fragment`` : part` and s.id = any (${among}::uuid[])`
  return tx.count(
    long(
      unprepared(sql`
        with selected as materialized (
          select s.id
          from ${selectedBy({ context, definition })}${only}
        )
        insert into bulk_change_contact (workspace_id, bulk_change_id, subscriber_id)
        select ${context.workspaceId}::bigint, ${id}::uuid, selected.id
        from selected
        on conflict do nothing`),
    ),
  )
}

/** Freezes one contact who is no subscriber: the change names the address, and its id stands for it. */
export function freezeAddress(tx: Database, workspaceId: number, id: string): Promise<number> {
  return tx.count(sql`
    insert into bulk_change_contact (workspace_id, bulk_change_id, subscriber_id)
    values (${workspaceId}, ${id}, ${id})`)
}

/** The contacts behind `after`, in their order. */
export function frozenAfter(
  db: Database,
  workspaceId: number,
  { id, after, max }: { id: string; after: string; max: number },
): Promise<FrozenContact[]> {
  return db.rows<FrozenContact>(sql`
    select subscriber_id as id, outcome from bulk_change_contact
    where workspace_id = ${workspaceId} and bulk_change_id = ${id} and subscriber_id > ${after}::uuid
    order by subscriber_id limit ${max}`)
}

/** Subscribers of a frozen set with smaller identifiers than `before`, newest first, as they are now. */
export function frozenSubscribers(
  db: Database,
  workspaceId: number,
  { id, before, max }: { id: string; before: string; max: number },
): Promise<(SubscriberRow | { id: string; email: null })[]> {
  return db.rows<SubscriberRow | { id: string; email: null }>(sql`
    select c.subscriber_id as id, s.email, s.status, s.first_name, s.last_name, s.tags, s.fields, s.source,
      s.created_at, s.updated_at, s.confirmed_at, s.unsubscribed_at, s.confirmation_sent_at
    from (
      select subscriber_id from bulk_change_contact
      where workspace_id = ${workspaceId} and bulk_change_id = ${id} and subscriber_id < ${before}::uuid
      order by subscriber_id desc limit ${max}
    ) c
    left join subscriber s on s.workspace_id = ${workspaceId} and s.id = c.subscriber_id
    order by c.subscriber_id desc`)
}

/** Stores what became of a contact; what is stored already stays. */
export async function storeOutcome(
  tx: Database,
  workspaceId: number,
  { id, subscriberId, outcome }: { id: string; subscriberId: string; outcome: string },
): Promise<void> {
  await tx.count(sql`
    update bulk_change_contact set outcome = coalesce(outcome, ${outcome})
    where workspace_id = ${workspaceId} and bulk_change_id = ${id} and subscriber_id = ${subscriberId}`)
}

/** Deletes up to `max` frozen contacts of a change, of `among` only where it is given; answers how many. */
export function deleteFrozen(
  tx: Database,
  workspaceId: number,
  { id, among, max }: { id: string; among: string[] | null; max: number },
): Promise<number> {
  const only = among === null ? fragment`` : part` and subscriber_id = any (${among}::uuid[])`
  return tx.count(sql`
    delete from bulk_change_contact d using (
      select ctid from bulk_change_contact
      where workspace_id = ${workspaceId} and bulk_change_id = ${id}${only}
      limit ${max}
    ) old where d.ctid = old.ctid and d.workspace_id = ${workspaceId}`)
}

/** A contact of a batch: changed, or why it stays as it is. */
export type WrittenContact =
  | ({ leftOut: null } & SubscriberRow)
  | { leftOut: LeftOutReason; id: string }

/** As it is read: the row is empty where the contact stays as it is. */
type WrittenRow = SubscriberRow & { leftOut: LeftOutReason | null; chosenId: string }

/** Tags, untags, or sets a field; contacts who are gone have no row. */
export async function writeContacts(
  tx: Database,
  workspaceId: number,
  { ids, ...change }: { ids: string[]; action: 'tag' | 'untag' | 'set_field' } & BulkParameters,
): Promise<WrittenContact[]> {
  const { leftOut, set } = writing(change)
  const changed = await tx.rows<WrittenRow>(sql`
    with chosen as materialized (
      select id as chosen_id, ${leftOut} as left_out from subscriber
      where workspace_id = ${workspaceId} and id = any (${ids}::uuid[]) order by id for no key update
    ), kept as (
      update subscriber s set ${set}, updated_at = date_trunc('milliseconds', facteur_now())
      from chosen where s.workspace_id = ${workspaceId} and s.id = chosen_id and left_out is null
      returning s.*
    ), ${noteForSearch(workspaceId, fragment`kept`)}
    select chosen.left_out, chosen_id, ${subscriberRowColumns}
    from chosen left join kept on kept.id = chosen_id
    order by chosen_id`)
  return changed.map(named)
}

const named = ({ leftOut, chosenId, ...row }: WrittenRow): WrittenContact =>
  leftOut === null ? { leftOut, ...row } : { leftOut, id: chosenId }

function writing({
  action,
  tag = '',
  field = '',
  value = '',
}: { action: 'tag' | 'untag' | 'set_field' } & BulkParameters): {
  leftOut: Fragment
  set: Fragment
} {
  if (action === 'tag')
    return {
      leftOut: part`case when ${tag} = any (tags) then 'unchanged'
        when cardinality(tags) >= ${limits.subscriberTagsInAllMax} then 'tags_full' end`,
      set: part`tags = s.tags || ${tag}::text`,
    }
  if (action === 'untag')
    return {
      leftOut: part`case when ${tag} <> all (tags) then 'unchanged' end`,
      set: part`tags = array_remove(s.tags, ${tag}::text)`,
    }
  return {
    leftOut: part`case when coalesce(fields ->> ${field}::text, '') = ${value} then 'unchanged' end`,
    set:
      value === ''
        ? part`fields = s.fields - ${field}::text`
        : part`fields = s.fields || jsonb_build_object(${field}::text, ${value}::text)`,
  }
}
