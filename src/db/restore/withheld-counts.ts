/** Counts what is held after a restore, until a person releases or discards it. */
import { fragment } from '../../database/client/fragment.ts'
import { sql } from '../../database/client/sql.ts'
import type { Database } from '../../database/client/database.ts'

/** A campaign `c` with its held work `h` that no user has scheduled, sent or cancelled since. */
const isStillWithheld = fragment`
  (h.was = 'scheduled' and c.status = 'draft' and c.notice = 'restore' or c.pause_reason = 'restore')`

const isLostLease = fragment`r.state = 'leased' and c.pause_reason = 'restore' and not exists (
  select from batch_sender s
  where s.workspace_id = p.workspace_id and s.campaign_id = p.campaign_id and s.id = r.batch_sender_id
    and r.batch_sender_fence = r.fence and r.subscriber_id <> all (s.at_dot))`

/**
 * Recipients of a held campaign `c` with its run `p` that the first worker will find in doubt
 * (`releaseLostRecipients`): they count as in doubt from the beginning.
 */
const lostLeases = fragment`(
  (select count(*)
    from campaign_recipient r
    where r.workspace_id = p.workspace_id and r.campaign_id = p.campaign_id
      and r.subscriber_id > p.low_water and r.subscriber_id <= p.claimed_to
      and ${isLostLease})
  + (select count(*)
    from campaign_recipient r
    where r.workspace_id = p.workspace_id and r.campaign_id = p.campaign_id
      and r.next_at is not null and not (r.subscriber_id > p.low_water and r.subscriber_id <= p.claimed_to)
      and ${isLostLease}))`

export interface Restored {
  restoredAt: Date
  /** The moment that the copy shows. Null while it is not known. */
  restoredFrom: Date | null
  /**
   * What showed at a start that the database is a copy by other tools. Null means a person restored
   * it knowingly.
   */
  copyShownBy: string | null
}

/** Null for a database that never was restored. */
export function restoredState(db: Database): Promise<Restored | null> {
  return db.row<Restored>(sql`
    select restored_at, restored_from, (select copy_shown_by from database_identity) as copy_shown_by
    from installation where restored_at is not null`)
}

export interface WithheldCounts {
  /** Recipients of single mails: those that wait, and those whose hand-off had begun. */
  mails: number
  started: number
  /**
   * Recipients of held campaigns that were not handed over, without those in doubt; campaigns
   * themselves.
   */
  recipients: number
  campaigns: number
  deliveries: number
  signUps: number
  imports: number
  /**
   * What an event file says has left: recipients of single mails and of campaigns that were pending
   * in the copy.
   */
  knownSent: number
  /** Delivery events of older mail, and our own notices, wait for the decision. */
  isUndecided: boolean
  /** When the longest waiting of them was due. */
  since: Date | null
}

export interface WithheldWorkspace extends WithheldCounts {
  workspaceId: number
  slug: string
}

/** Workspaces in which something is held, or would be (`isUndecided`). */
export async function withheldByWorkspace(db: Database): Promise<WithheldWorkspace[]> {
  const workspaces = await db.rows<{ id: number; slug: string }>(
    sql`select id, slug from workspace order by id`,
  )
  const matches: WithheldWorkspace[] = []
  for (const { id, slug } of workspaces) {
    const counts = await withheldInWorkspace(db, id)
    if (counts.isUndecided || isAnyWithheld(counts))
      matches.push({ workspaceId: id, slug, ...counts })
  }
  return matches
}

/** How many mails, campaigns, deliveries, sign-ups and imports there are to decide on. */
export const withheldPieces = ({
  mails,
  started,
  campaigns,
  deliveries,
  signUps,
  imports,
}: Omit<WithheldCounts, 'since'>): number =>
  mails + started + campaigns + deliveries + signUps + imports

export const isAnyWithheld = (counts: Omit<WithheldCounts, 'since'>): boolean =>
  withheldPieces(counts) > 0

export function withheldInWorkspace(db: Database, workspaceId: number): Promise<WithheldCounts> {
  return db.onlyRow<WithheldCounts>(sql`
    with messages as materialized (
      select count(*) filter (where state = 'pending')::int as mails,
        count(*) filter (where state <> 'pending')::int as started, min(next_at) as since
      from recipient where workspace_id = ${workspaceId} and lane = 'held' and state <> 'settled'
    ), other as materialized (
      select h.kind, h.id, h.at from held_work h
      left join campaign c on c.workspace_id = ${workspaceId} and c.id = h.id
      where h.workspace_id = ${workspaceId} and (h.kind <> 'campaign' or ${isStillWithheld})
    ), running as materialized (
      select coalesce(sum(p.pending - ${lostLeases}), 0)::int as recipients from other o
      join campaign c on c.workspace_id = ${workspaceId} and c.id = o.id
      join campaign_run p on p.workspace_id = ${workspaceId} and p.campaign_id = o.id
      where o.kind = 'campaign'
    )
    select m.mails, m.started, r.recipients,
      (select count(*) from other where kind = 'campaign')::int as campaigns,
      (select count(*) from other where kind = 'delivery')::int as deliveries,
      (select count(*) from other where kind = 'sign_up')::int as sign_ups,
      (select count(*) from other where kind = 'import')::int as imports,
      (coalesce((select known_sent from undecided_workspace where workspace_id = ${workspaceId}), 0)
        + (select coalesce(sum(known_sent), 0)
          from known_campaign
          where workspace_id = ${workspaceId}))::int as known_sent,
      exists (select from undecided_workspace where workspace_id = ${workspaceId}) as is_undecided,
      least(m.since, (select min(at) from other where kind <> 'campaign')) as since
    from messages m, running r`)
}

export interface WithheldCampaign {
  id: string
  name: string
  workspaceId: number
  slug: string
  /** What it was in the copy. */
  was: 'scheduled' | 'sending'
  /** Since when it is sending, or for when it was scheduled. */
  at: Date | null
  recipients: number
  pending: number
  /**
   * Handed over without an answer: `campaign release` decides on them, not the release of what is
   * held.
   */
  inDoubt: number
  /** What an event file says has left since. Null if it names none. */
  knownSent: number | null
}

/** Of every workspace. */
export async function withheldCampaigns(db: Database): Promise<WithheldCampaign[]> {
  const workspaces = await db.column<number>(sql`select id from workspace order by id`)
  const matches: WithheldCampaign[] = []
  for (const workspaceId of workspaces)
    matches.push(...(await withheldCampaignsOf(db, workspaceId)))
  return matches
}

export function withheldCampaignsOf(
  db: Database,
  workspaceId: number,
): Promise<WithheldCampaign[]> {
  return db.rows<WithheldCampaign>(sql`
    select c.id, c.name, w.id as workspace_id, w.slug,
      case when h.was = 'scheduled' then 'scheduled' else 'sending' end as was,
      case when h.was = 'scheduled' then h.at else coalesce(c.sent_at, c.frozen_at) end as at,
      coalesce(p.recipients, 0)::int as recipients, coalesce(p.pending - ${lostLeases}, 0)::int as pending,
      coalesce(p.in_doubt + ${lostLeases}, 0)::int as in_doubt, k.known_sent
    from held_work h
    join workspace w on w.id = ${workspaceId}
    join campaign c on c.workspace_id = ${workspaceId} and c.id = h.id
    left join campaign_run p on p.workspace_id = ${workspaceId} and p.campaign_id = h.id
    left join known_campaign k on k.workspace_id = ${workspaceId} and k.campaign_id = h.id
    where h.workspace_id = ${workspaceId} and h.kind = 'campaign' and ${isStillWithheld} order by h.id`)
}

export interface CampaignInDoubt {
  id: string
  name: string
  slug: string
  workspaceId: number
  inDoubt: number
}

/**
 * Campaigns of before the restore with recipients in doubt, held or not: nobody sends to these
 * until `campaign release`.
 */
export async function campaignsInDoubt(db: Database): Promise<CampaignInDoubt[]> {
  const workspaces = await db.column<number>(sql`select id from workspace order by id`)
  const matches: CampaignInDoubt[] = []
  for (const workspaceId of workspaces) {
    matches.push(
      ...(await db.rows<CampaignInDoubt>(sql`
        select * from (
          select c.id, c.name, w.slug, w.id as workspace_id, (p.in_doubt + ${lostLeases})::int as in_doubt
          from campaign_run p join campaign c on c.workspace_id = ${workspaceId} and c.id = p.campaign_id
          join workspace w on w.id = p.workspace_id
          where p.workspace_id = ${workspaceId} and (p.pending > 0 or p.in_doubt > 0)
            and c.frozen_at <= (select restored_at from installation)) f
        where in_doubt > 0 order by id`)),
    )
  }
  return matches
}

/** Everything that is held, over all workspaces: for /metrics and doctor. */
export async function withheldTotals(db: Database): Promise<{ kind: string; withheld: number }[]> {
  return db.rows<{ kind: string; withheld: number }>(sql`
    select 'mail' as kind, coalesce(sum(c.withheld), 0)::int as withheld from workspace w
    cross join lateral (
      select count(*) as withheld
      from recipient
      where workspace_id = w.id and lane = 'held' and state <> 'settled') c
    union all
    select 'campaign_recipient', coalesce(sum(p.pending - ${lostLeases}), 0)::int from workspace w
    join held_work h on h.workspace_id = w.id and h.kind = 'campaign'
    join campaign c on c.workspace_id = w.id and c.id = h.id and c.pause_reason = 'restore'
    join campaign_run p on p.workspace_id = w.id and p.campaign_id = h.id
    union all
    select 'campaign', count(*)::int from workspace w
    join held_work h on h.workspace_id = w.id and h.kind = 'campaign'
    join campaign c on c.workspace_id = w.id and c.id = h.id and ${isStillWithheld}
    union all
    select k.kind, count(h.id)::int from (values ('delivery'), ('sign_up'), ('import')) k (kind)
    left join (workspace w join held_work h on h.workspace_id = w.id) on h.kind = k.kind
    group by k.kind`)
}

/** Whether mail of it waits for a person's decision after a restore. */
export function isUndecided(db: Database, workspaceId: number): Promise<boolean> {
  return db.onlyValue<boolean>(sql`
    select exists (select from undecided_workspace where workspace_id = ${workspaceId})
      or exists (select from installation where restored_at is not null and held_at is null) as is`)
}
