/**
 * When a contact last received a campaign's mail, opened one and clicked in one: the stored dates,
 * and those that only the details of campaigns have yet
 * (docs/decisions/0068-dates-of-engagement.md).
 */
import { fragment, part, type Fragment } from '../../database/client/fragment.ts'
import { sql } from '../../database/client/sql.ts'
import { allowSweeps } from '../../database/planner/allow-sweeps.ts'
import type { Connection } from '../../database/client/connect.ts'
import type { Database } from '../../database/client/database.ts'

/** `opened`: also through a privacy relay. `openedDirectly`: without one. */
export type DatedEngagement = 'received' | 'opened' | 'openedDirectly' | 'clicked'

const columns: Record<DatedEngagement, Fragment> = {
  received: fragment`received_at`,
  opened: fragment`opened_at`,
  openedDirectly: fragment`opened_directly_at`,
  clicked: fragment`clicked_at`,
}

/** The later of two rows' dates, in the order of the columns. */
const latest = (a: Fragment, b: Fragment): Fragment => fragment`
  received_at = greatest(${a}.received_at, ${b}.received_at),
  opened_at = greatest(${a}.opened_at, ${b}.opened_at),
  opened_directly_at = greatest(${a}.opened_directly_at, ${b}.opened_directly_at),
  clicked_at = greatest(${a}.clicked_at, ${b}.clicked_at)`

/** Stands behind an insert into `subscriber_engagement`: dates only grow. */
export const addToDates = fragment`
  on conflict (workspace_id, subscriber_id)
    do update set ${latest(fragment`subscriber_engagement`, fragment`excluded`)}`

/**
 * Dates by contact from the details `r` of campaigns. No list of campaigns is joined: beside one,
 * PostgreSQL reads the audience on one core.
 */
const datesOfDetails = (
  workspaceId: number,
  { ofCampaigns, within }: { ofCampaigns: Fragment; within: Fragment },
): Fragment => part`
  select subscriber_id, max(received_at) as received_at, max(opened_at) as opened_at,
    max(opened_directly_at) as opened_directly_at, max(clicked_at) as clicked_at
  from (
    select r.subscriber_id, r.sent_at as received_at, null::timestamptz as opened_at,
      null::timestamptz as opened_directly_at, null::timestamptz as clicked_at
    from campaign_recipient r
    where r.workspace_id = ${workspaceId} and ${ofCampaigns} and r.sent_at is not null ${within}
    union all
    select r.subscriber_id, null::timestamptz, r.at, case when r.visitor = 'person' then r.at end,
      case when r.kind = 'click' then r.at end
    from engagement r
    where r.workspace_id = ${workspaceId} and ${ofCampaigns} and r.visitor <> 'scanner' ${within}
  ) details
  group by subscriber_id`

/** Campaigns whose details say more than the stored dates. */
const undated = (workspaceId: number): Fragment => part`
  select p.campaign_id
  from campaign_run p
  join campaign c on c.workspace_id = ${workspaceId} and c.id = p.campaign_id
  where p.workspace_id = ${workspaceId} and (p.pending > 0 or p.sent > coalesce(c.receipts_stored, -1))`

const ofUndated = (workspaceId: number): Fragment =>
  part`r.campaign_id = any (array(${undated(workspaceId)}))`

/** For `joinEngagement()`, of the same moment or before. */
export const undatedCampaigns = (db: Database, workspaceId: number): Promise<string[]> =>
  db.column<string>(sql`select campaign_id from (${undated(workspaceId)}) undated`)

/**
 * Joins the dates of the contacts `s` of a statement, which `engagementDate()` then names. Its
 * answer is that of the statement's snapshot, but for campaigns that began after `campaigns` were
 * read (`undatedCampaigns()`): outside a transaction of one moment it finds them itself (null).
 */
export function joinEngagement(workspaceId: number, campaigns: string[] | null): Fragment {
  const stored = joinStored(workspaceId)
  if (campaigns?.length === 0) return stored
  const details = datesOfDetails(workspaceId, {
    ofCampaigns: campaigns
      ? part`r.campaign_id = any (${campaigns}::uuid[])`
      : ofUndated(workspaceId),
    within: fragment``,
  })
  return part`${stored} left join (${details}) recent_dates on recent_dates.subscriber_id = s.id`
}

const joinStored = (workspaceId: number): Fragment => part`
  left join subscriber_engagement stored_dates
    on stored_dates.workspace_id = ${workspaceId} and stored_dates.subscriber_id = s.id`

/** The date of a contact that `joinEngagement()` joined; null means never. */
export const engagementDate = (kind: DatedEngagement, campaigns: string[] | null): Fragment =>
  campaigns?.length === 0 ? fragment`stored_dates.${columns[kind]}` : laterDate(kind)

/**
 * Joins who waits for the mail of a campaign, as if it had arrived, and who is in doubt: nobody
 * knows whether it has. Of a completed campaign, that was at its end at the latest.
 */
export const joinWaiting = (workspaceId: number): Fragment => part`
  left join (
    select d.subscriber_id, max(d.received_at) as received_at
    from campaign c
    join campaign_run p on p.workspace_id = ${workspaceId} and p.campaign_id = c.id
    cross join lateral (
      select r.subscriber_id, coalesce(c.completed_at, 'infinity'::timestamptz) as received_at
      from campaign_recipient r
      where r.workspace_id = ${workspaceId} and r.campaign_id = c.id and (r.state = 'in_doubt'
        or r.state <> 'settled' and c.status = 'sending' and c.canceled_at is null) offset 0) d
    where c.workspace_id = ${workspaceId}
      and (p.in_doubt > 0 or c.status = 'sending' and c.canceled_at is null)
    group by d.subscriber_id
  ) waiting on waiting.subscriber_id = s.id`

const laterDate = (kind: DatedEngagement): Fragment =>
  fragment`greatest(stored_dates.${columns[kind]}, recent_dates.${columns[kind]})`

/** Null means never. */
export interface EngagementDates {
  receivedAt: Date | null
  openedAt: Date | null
  openedDirectlyAt: Date | null
  clickedAt: Date | null
}

/** Of one contact; null where there is no such contact. */
export function engagementDates(
  db: Database,
  workspaceId: number,
  subscriberId: string,
): Promise<EngagementDates | null> {
  const ofContact = part`and r.subscriber_id = ${subscriberId}`
  const ofCampaigns = ofUndated(workspaceId)
  return db.row<EngagementDates>(sql`
    select ${latestOf('received')}, ${latestOf('opened')}, ${latestOf('openedDirectly')},
      ${latestOf('clicked')}
    from subscriber s ${joinStored(workspaceId)}
    left join (${datesOfDetails(workspaceId, { ofCampaigns, within: ofContact })}) recent_dates on true
    where s.workspace_id = ${workspaceId} and s.id = ${subscriberId}`)
}

const latestOf = (kind: DatedEngagement): Fragment =>
  fragment`${laterDate(kind)} as ${columns[kind]}`

/** When each of these contacts last opened a campaign, also through a relay; those who did. */
export async function lastOpened(
  db: Database,
  workspaceId: number,
  ids: string[],
): Promise<ReadonlyMap<string, Date>> {
  const ofContacts = part`and r.subscriber_id = any (${ids}::uuid[])`
  const ofCampaigns = ofUndated(workspaceId)
  const rows = await db.rows<{ id: string; openedAt: Date | null }>(sql`
    select s.id, ${latestOf('opened')}
    from unnest(${ids}::uuid[]) as s (id) ${joinStored(workspaceId)}
    left join (${datesOfDetails(workspaceId, { ofCampaigns, within: ofContacts })}) recent_dates
      on recent_dates.subscriber_id = s.id`)
  return new Map(rows.flatMap(({ id, openedAt }) => (openedAt ? [[id, openedAt] as const] : [])))
}

/** A part of a campaign's details: the contacts behind `after`, up to `upTo`. */
export interface DetailsPage {
  workspaceId: number
  campaignId: string
  after: string
  upTo: string
}

/**
 * Campaigns that were completed an hour ago and whose details say more than the stored dates, with
 * their present number of hand-offs. By then no click can turn out to be a scanner's
 * (click-bursts.ts). In the first day after an upgrade there are none: until then a process of the
 * previous version may record opens, which writes no date.
 */
export function completeUndated(
  db: Database,
  workspaceId: number,
): Promise<{ campaignId: string; receipts: number }[]> {
  return db.rows<{ campaignId: string; receipts: number }>(sql`
    select p.campaign_id, p.sent as receipts
    from campaign_run p
    join campaign c on c.workspace_id = ${workspaceId} and c.id = p.campaign_id
    where p.workspace_id = ${workspaceId} and p.pending = 0
      and p.sent > coalesce(c.receipts_stored, -1)
      and c.completed_at < (select facteur_now() - interval '1 hour')
      and coalesce((select retention_from - interval '6 days' from installation), '-infinity')
        < (select facteur_now())
    order by p.campaign_id`)
}

/** The last contact of the next `max` in a campaign's details; null at the end. */
export function endOfDetails(
  db: Database,
  { workspaceId, campaignId, after }: Omit<DetailsPage, 'upTo'>,
  max: number,
): Promise<string | null> {
  return db.value<string>(sql`
    select subscriber_id
    from (
      select subscriber_id from (
        (select subscriber_id from campaign_recipient
          where workspace_id = ${workspaceId} and campaign_id = ${campaignId}
            and subscriber_id > ${after}::uuid
          order by subscriber_id limit ${max})
        union
        (select subscriber_id from engagement
          where workspace_id = ${workspaceId} and campaign_id = ${campaignId}
            and subscriber_id > ${after}::uuid
          order by subscriber_id limit ${max})) known
      order by subscriber_id limit ${max}) page
    order by subscriber_id desc limit 1`)
}

const datesOfPage = ({ workspaceId, campaignId, after, upTo }: DetailsPage): Fragment =>
  datesOfDetails(workspaceId, {
    ofCampaigns: part`r.campaign_id = ${campaignId}::uuid`,
    within: part`and r.subscriber_id > ${after}::uuid and r.subscriber_id <= ${upTo}::uuid`,
  })

/**
 * Stores the dates of contacts that have none yet. Each is locked against an erasure
 * (erasures.ts), after which it has none.
 */
export async function insertDates(db: Database, page: DetailsPage): Promise<void> {
  const { workspaceId } = page
  await db.count(sql`
    with dates as materialized (
      ${datesOfPage(page)}
    ), missing as materialized (
      select d.* from (
        select * from dates o
        where not exists (
          select from subscriber_engagement
          where workspace_id = ${workspaceId} and subscriber_id = o.subscriber_id)
        order by subscriber_id
      ) d
      cross join lateral (
        select 1 from subscriber where workspace_id = ${workspaceId} and id = d.subscriber_id for key share) s
    )
    insert into subscriber_engagement (workspace_id, subscriber_id, received_at, opened_at,
      opened_directly_at, clicked_at)
    select ${workspaceId}::bigint, subscriber_id, received_at, opened_at, opened_directly_at, clicked_at
    from missing order by subscriber_id
    ${addToDates}`)
}

const moveOn = latest(fragment`e`, fragment`d`)

/** Moves the dates of the others on. It locks them in the order of every change of dates. */
export async function updateDates(db: Database, page: DetailsPage): Promise<void> {
  const { workspaceId } = page
  await db.count(sql`
    with dates as materialized (
      ${datesOfPage(page)}
    ), locked as materialized (
      select d.* from (select * from dates order by subscriber_id) d
      cross join lateral (
        select 1 from subscriber_engagement
        where workspace_id = ${workspaceId} and subscriber_id = d.subscriber_id for update) e
    )
    update subscriber_engagement e set ${moveOn}
    from locked d
    where e.workspace_id = ${workspaceId} and e.subscriber_id = d.subscriber_id
      and (d.received_at > coalesce(e.received_at, '-infinity')
        or d.opened_at > coalesce(e.opened_at, '-infinity')
        or d.opened_directly_at > coalesce(e.opened_directly_at, '-infinity')
        or d.clicked_at > coalesce(e.clicked_at, '-infinity'))`)
}

/**
 * Deletes the dates of contacts that are gone: an erasure by a process of the previous version
 * leaves them.
 */
export async function deleteOrphanedDates(db: Connection, workspaceId: number): Promise<void> {
  await db.transaction(async (tx) => {
    const long = await allowSweeps(tx, orphansTimeoutMs)
    await tx.count(
      long(sql`
        delete from subscriber_engagement e
        where e.workspace_id = ${workspaceId} and not exists (
          select from subscriber s where s.workspace_id = ${workspaceId} and s.id = e.subscriber_id)`),
    )
  })
}

/** A million rows are compared in seconds. */
const orphansTimeoutMs = 60_000

/** From now on, readers ask the details of the campaign no more. */
export async function markDated(
  db: Database,
  {
    workspaceId,
    campaignId,
    receipts,
  }: { workspaceId: number; campaignId: string; receipts: number },
): Promise<void> {
  await db.count(sql`
    update campaign set receipts_stored = ${receipts}::bigint
    where workspace_id = ${workspaceId} and id = ${campaignId}`)
}
