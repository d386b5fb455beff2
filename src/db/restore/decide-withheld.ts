/**
 * Releases or discards what is held after a restore, in pages; each row changes only while it is
 * held.
 */
import type { FailedRow } from '../sending/claims.ts'
import { fragment, part, type Fragment } from '../../database/client/fragment.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'

/** From here on, delivery events of older mail and our own notices leave by themselves again. */
export async function endUndecided(tx: Database, workspaceId: number): Promise<void> {
  await tx.count(sql`delete from undecided_workspace where workspace_id = ${workspaceId}`)
}

/** Users may have cancelled or scheduled some of them before the decision. */
export async function forgetKnownCampaigns(db: Database, workspaceId: number): Promise<void> {
  await db.count(sql`delete from known_campaign where workspace_id = ${workspaceId}`)
}

/** Lets up to `max` single mails go on from where they were; answers how many. */
export function releaseWithheldMessages(
  db: Database,
  workspaceId: number,
  max: number,
): Promise<number> {
  return db.onlyValue<number>(sql`
    with matching as materialized (
      select message_id, position from recipient
      where workspace_id = ${workspaceId} and lane = 'held' and state <> 'settled' limit ${max} for update
    ), released as (
      update recipient r set lane = 'transactional' from matching f
      where r.workspace_id = ${workspaceId} and r.message_id = f.message_id and r.position = f.position
      returning 1
    ), hint as (
      ${makeDue(workspaceId, fragment`'transactional'`, fragment`released`)}
    )
    select count(*)::int from released`)
}

/**
 * Fails up to `max` single mails, and gives the quota of those back whose hand-off had not begun.
 * Answers how many rows, and those whose `email.failed` the caller publishes in the same
 * transaction.
 */
export async function discardWithheldMessages(
  tx: Database,
  workspaceId: number,
  max: number,
): Promise<{ discarded: number; failed: FailedRow[] }> {
  const rows = await tx.rows<FailedRow & { isFailed: boolean }>(sql`
    with matching as materialized (
      select r.message_id, r.position, r.state, r.status, m.quota_month, m.notice from recipient r
      join message m on m.workspace_id = ${workspaceId} and m.id = r.message_id
      where r.workspace_id = ${workspaceId} and r.lane = 'held' and r.state <> 'settled'
      limit ${max}
      for update of r
    ), discarded as (
      update recipient r set state = 'settled', settled_at = facteur_now(), fence = r.fence + 1,
        status = case when f.status = 'queued' then 'failed' else r.status end,
        error = case when f.status = 'queued' then 'discarded after a restore' else r.error end,
        cause = case when f.status = 'queued' then 'discarded' else r.cause end
      from matching f
      where r.workspace_id = ${workspaceId} and r.message_id = f.message_id and r.position = f.position
      returning r.message_id, r.position, f.status = 'queued' as is_failed,
        f.state = 'pending' and not f.notice as is_free, f.quota_month
    ), free as (
      select quota_month, count(*) as recipients from discarded where is_free group by quota_month
    ), given_back as (
      update quota_usage q set used = greatest(0, q.used - free.recipients) from free, workspace w
      where w.id = ${workspaceId} and q.workspace_id = coalesce(w.quota_of, w.id)
        and q.month = free.quota_month
    )
    select message_id, position, is_failed from discarded`)
  return { discarded: rows.length, failed: rows.filter(({ isFailed }) => isFailed) }
}

/** Its lane has work now, if `matching` has a row. */
const makeDue = (workspaceId: number, lane: Fragment, result: Fragment): Fragment => part`
  insert into due (workspace_id, lane, next_at)
  select ${workspaceId}, ${lane}, facteur_now()
  from ${result}
  limit 1
  on conflict (workspace_id, lane) do update set next_at = excluded.next_at
  where due.next_at > excluded.next_at`

/**
 * Takes up to `max` pieces of work of a kind from the list. By their places in the table: as a join
 * with a list of keys, the planner compares each row with each key until it has counted the table,
 * which was just loaded.
 */
const takeWithheld = (
  workspaceId: number,
  kind: 'delivery' | 'sign_up' | 'import',
  max: number,
): Fragment => part`
  delete from held_work h using (
    select ctid from held_work where workspace_id = ${workspaceId} and kind = ${kind} limit ${max} for update
  ) taken
  where h.workspace_id = ${workspaceId} and h.ctid = taken.ctid
  returning h.id, h.part`

/** Makes up to `max` deliveries due again; answers how many. */
export function releaseWithheldDeliveries(
  db: Database,
  workspaceId: number,
  max: number,
): Promise<number> {
  return db.onlyValue<number>(sql`
    with matching as materialized (
      ${takeWithheld(workspaceId, 'delivery', max)}
    ), released as (
      -- One that was delivered by a replay meanwhile stays as it is.
      update webhook_delivery d set next_at = facteur_now() from matching f
      where d.workspace_id = ${workspaceId} and d.webhook_id = f.id and d.event_id = f.part
        and d.next_at is null and d.status = 'pending'
    ), hint as (
      ${makeDue(workspaceId, fragment`'webhook'`, fragment`matching`)}
    )
    select count(*)::int from matching`)
}

/** Fails up to `max` deliveries; they stay in the journal, and can be replayed. */
export function discardWithheldDeliveries(
  db: Database,
  workspaceId: number,
  max: number,
): Promise<number> {
  return db.onlyValue<number>(sql`
    with matching as materialized (
      ${takeWithheld(workspaceId, 'delivery', max)}
    ), discarded as (
      update webhook_delivery d set status = 'failed', error = 'discarded after a restore' from matching f
      where d.workspace_id = ${workspaceId} and d.webhook_id = f.id and d.event_id = f.part
        and d.next_at is null and d.status = 'pending'
    )
    select count(*)::int from matching`)
}

/** Makes up to `max` sign-ups due again; answers how many. */
export function releaseWithheldSignUps(
  db: Database,
  workspaceId: number,
  max: number,
): Promise<number> {
  return db.onlyValue<number>(sql`
    with matching as materialized (
      ${takeWithheld(workspaceId, 'sign_up', max)}
    ), released as (
      update sign_up s set next_at = facteur_now() from matching f
      where s.workspace_id = ${workspaceId} and s.id = f.id and s.consent_id is null
    ), hint as (
      ${makeDue(workspaceId, fragment`'sign_up'`, fragment`matching`)}
    )
    select count(*)::int from matching`)
}

export function discardWithheldSignUps(
  db: Database,
  workspaceId: number,
  max: number,
): Promise<number> {
  return db.onlyValue<number>(sql`
    with matching as materialized (
      ${takeWithheld(workspaceId, 'sign_up', max)}
    ), discarded as (
      delete from sign_up s using matching f
      where s.workspace_id = ${workspaceId} and s.id = f.id and s.consent_id is null
    )
    select count(*)::int from matching`)
}

/** Lets up to `max` stopped imports go on after their last batch; answers how many. */
export function releaseWithheldImports(
  db: Database,
  workspaceId: number,
  max: number,
): Promise<number> {
  return db.onlyValue<number>(sql`
    with matching as materialized (
      ${takeWithheld(workspaceId, 'import', max)}
    ), released as (
      update import_file i
      set state = 'importing', next_at = facteur_now(), ended_at = null, fence = i.fence + 1
      from matching f
      where i.workspace_id = ${workspaceId} and i.id = f.id and i.state = 'stopped' and not i.discarded
        -- One that a user started and stopped since stays as it is.
        and i.ended_at <= (select held_at from installation)
    ), hint as (
      ${makeDue(workspaceId, fragment`'import'`, fragment`matching`)}
    )
    select count(*)::int from matching`)
}

/** They stay stopped until a user starts them again. */
export function discardWithheldImports(
  db: Database,
  workspaceId: number,
  max: number,
): Promise<number> {
  return db.count(sql`${takeWithheld(workspaceId, 'import', max)}`)
}

interface CampaignKey {
  workspaceId: number
  campaignId: string
}

/**
 * Ends the hold of a campaign; null when it is not held. The caller resumes one that was sending,
 * in the same transaction, and cancels one that was cancelled. One that was scheduled, and is a
 * draft still, is scheduled again, unless mail of it is known to have left since; one that was
 * paused is paused again.
 */
export function releaseWithheldCampaign(
  tx: Database,
  { workspaceId, campaignId }: CampaignKey,
): Promise<'scheduled' | 'paused' | 'canceled' | 'sending' | null> {
  return tx.value<'scheduled' | 'paused' | 'canceled' | 'sending'>(sql`
    with matching as materialized (
      delete from held_work
      where workspace_id = ${workspaceId} and kind = 'campaign' and id = ${campaignId}
      returning id, at, was
    ), known as (
      delete from known_campaign
      where workspace_id = ${workspaceId} and campaign_id = ${campaignId}
      returning 1
    ), scheduled as (
      update campaign c
      set status = 'scheduled', scheduled_at = f.at, notice = null,
        updated_at = date_trunc('milliseconds', facteur_now())
      from matching f
      where c.workspace_id = ${workspaceId} and c.id = f.id and f.was = 'scheduled' and c.status = 'draft'
        and not c.unfinished and not exists (select from known)
    ), paused as (
      -- Without a former reason it is one that a user may resume.
      update campaign c
      set pause_reason = coalesce(nullif(f.was, 'canceled'), 'person'),
        paused_at = coalesce(f.at, c.paused_at)
      from matching f where c.workspace_id = ${workspaceId} and c.id = f.id and c.pause_reason = 'restore'
    ), hint as (
      ${makeDue(workspaceId, fragment`'campaign'`, fragment`matching`)}
    )
    select case
      when was in ('scheduled', 'canceled') then was
      when was is null then 'sending'
      else 'paused' end
    from matching`)
}

/**
 * Forgets that a campaign was held; null when it is not. The caller cancels one that was sending. A
 * scheduled one stays a draft.
 */
export function discardWithheldCampaign(
  tx: Database,
  { workspaceId, campaignId }: CampaignKey,
): Promise<'scheduled' | 'sending' | null> {
  return tx.value<'scheduled' | 'sending'>(sql`
    with known as (
      delete from known_campaign where workspace_id = ${workspaceId} and campaign_id = ${campaignId}
    )
    delete from held_work where workspace_id = ${workspaceId} and kind = 'campaign' and id = ${campaignId}
    returning case when was = 'scheduled' then 'scheduled' else 'sending' end`)
}
