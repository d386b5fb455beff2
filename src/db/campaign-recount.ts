/** Counts a campaign anew from its rows: progress and tallies become what the rows say, and what was right stays untouched. */
import { sql } from './connect.ts'
import type { Connection, Database } from './connect.ts'
import type { TallyRow } from './campaign-tallies.ts'

/** The five of progress, and what recipients' rows count for. */
interface RowCounts {
  recipients: number
  pending: number
  sent: number
  failed: number
  suppressed: number
  in_doubt: number
  delivered: number
  bounced: number
  complained: number
  unsubscribed: number
}

/** Recipients that one statement reads: each ends long before the statement's time limit. */
const sliceOf = 100_000
const beforeAll = '00000000-0000-0000-0000-000000000000'

/**
 * Answers how many counters were wrong; null: no list was frozen for such a campaign. Safe beside running workers and visitors:
 * whoever counts holds one of the two rows locked here until it commits, so that what is read is what was counted.
 */
export function recountCampaign(db: Connection, workspaceId: number, campaignId: string): Promise<number | null> {
  return db.transaction(async (tx) => {
    await tx.rows(sql`select 1 from campaign where workspace_id = ${workspaceId} and id = ${campaignId} for update`)
    const held = await tx.rows(sql`
      select 1 from campaign_progress where workspace_id = ${workspaceId} and campaign_id = ${campaignId} for update`)
    if (held.length === 0) return null
    const { rows, visits } = await countAll(tx, workspaceId, campaignId)
    const { delivered, bounced, complained, unsubscribed, ...progress } = rows
    const tallies = new Map(visits)
    for (const [measure, count] of Object.entries({ delivered, bounced, complained, unsubscribed })) {
      tallies.set(`${measure}/`, { measure, label: '', count })
    }
    return (
      (await mendProgress(tx, workspaceId, campaignId, progress)) +
      (await mendTallies(tx, workspaceId, campaignId, [...tallies.values()]))
    )
  })
}

async function countAll(tx: Database, workspaceId: number, campaignId: string) {
  const rows: RowCounts = {
    ...{ recipients: 0, pending: 0, sent: 0, failed: 0, suppressed: 0, in_doubt: 0 },
    ...{ delivered: 0, bounced: 0, complained: 0, unsubscribed: 0 },
  }
  const visits = new Map<string, TallyRow>()
  for (let after: string | null = beforeAll; after !== null;) {
    const [slice]: (RowCounts & { last: string | null })[] = await countRows(tx, workspaceId, campaignId, after)
    if (!slice?.last) break
    const { last, ...counts } = slice
    for (const name of Object.keys(rows) as (keyof RowCounts)[]) rows[name] += counts[name]
    for (const row of await countVisits(tx, workspaceId, campaignId, { after, last })) {
      const name = `${row.measure}/${row.label}`
      visits.set(name, { ...row, count: row.count + (visits.get(name)?.count ?? 0) })
    }
    after = last
  }
  return { rows, visits }
}

function countRows(tx: Database, workspaceId: number, campaignId: string, after: string) {
  return tx.rows<RowCounts & { last: string | null }>(sql`
    select count(*) as recipients, max(subscriber_id::text) as last,
      count(*) filter (where place = 'pending') as pending, count(*) filter (where place = 'sent') as sent,
      count(*) filter (where place = 'failed') as failed, count(*) filter (where place = 'suppressed') as suppressed,
      count(*) filter (where place = 'in_doubt') as in_doubt,
      count(*) filter (where status in ('delivered', 'complained')) as delivered, count(*) filter (where status = 'bounced') as bounced,
      count(*) filter (where status = 'complained') as complained, count(unsubscribed_at) as unsubscribed
    from (
      select subscriber_id, status, unsubscribed_at, campaign_place(state, status, sent_at) as place from campaign_recipient
      where workspace_id = ${workspaceId} and campaign_id = ${campaignId} and subscriber_id > ${after}
      order by subscriber_id limit ${sliceOf}
    ) r`)
}

function countVisits(tx: Database, workspaceId: number, campaignId: string, { after, last }: { after: string; last: string }) {
  return tx.rows<TallyRow>(sql`
    select measure, label, count(*) as count from campaign_visit_count
    where workspace_id = ${workspaceId} and campaign_id = ${campaignId} and subscriber_id > ${after} and subscriber_id <= ${last}
    group by measure, label`)
}

type Progress = Pick<RowCounts, 'recipients' | 'pending' | 'sent' | 'failed' | 'suppressed' | 'in_doubt'>

function mendProgress(tx: Database, workspaceId: number, campaignId: string, is: Progress): Promise<number> {
  return tx.count(sql`
    update campaign_progress set recipients = ${is.recipients}, pending = ${is.pending}, sent = ${is.sent}, failed = ${is.failed},
      suppressed = ${is.suppressed}, in_doubt = ${is.in_doubt}
    where workspace_id = ${workspaceId} and campaign_id = ${campaignId}
      and (recipients, pending, sent, failed, suppressed, in_doubt)
        <> (${is.recipients}, ${is.pending}, ${is.sent}, ${is.failed}, ${is.suppressed}, ${is.in_doubt})`)
}

/** A counter that is not there is zero. */
async function mendTallies(tx: Database, workspaceId: number, campaignId: string, are: TallyRow[]): Promise<number> {
  const [row] = await tx.rows<{ mended: number }>(sql`
    with are as materialized (
      select * from unnest(${are.map((row) => row.measure)}::text[], ${are.map((row) => row.label)}::text[], ${are.map((row) => row.count)}::bigint[])
        as t (measure, label, count)
    ), emptied as (
      update campaign_tally t set count = 0
      where workspace_id = ${workspaceId} and campaign_id = ${campaignId} and count <> 0
        and (measure, label) not in (select measure, label from are)
      returning 1
    ), written as (
      insert into campaign_tally (workspace_id, campaign_id, measure, label, count)
      select ${workspaceId}, ${campaignId}, a.measure, a.label, a.count from are a
      left join campaign_tally t on t.workspace_id = ${workspaceId} and t.campaign_id = ${campaignId} and t.measure = a.measure and t.label = a.label
      where coalesce(t.count, 0) <> a.count order by a.measure, a.label
      on conflict (workspace_id, campaign_id, measure, label) do update set count = excluded.count
      returning 1
    )
    select ((select count(*) from emptied) + (select count(*) from written))::int as mended`)
  return row?.mended ?? 0
}
