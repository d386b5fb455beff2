/**
 * Counts a campaign again from its rows: wrong counters of progress and tallies are corrected, and
 * right ones stay untouched.
 */
import { allowSweeps } from '../../database/planner/allow-sweeps.ts'
import { fragment, rowList } from '../../database/client/fragment.ts'
import { sql } from '../../database/client/sql.ts'
import type { Connection } from '../../database/client/connect.ts'
import type { Database } from '../../database/client/database.ts'
import type { CampaignKey } from './campaign-key.ts'
import { addToProgress, addToTally, deliverySource } from './campaign-counts.ts'
import type { TallyRow } from './campaign-tallies.ts'

/** How long reading all rows may take, in milliseconds; nothing waits for it. */
const countTimeoutMs = 600_000

/** A counter that differs from the rows, and by how much; of progress: `measure` is its column. */
interface Wrong extends TallyRow {
  of: 'progress' | 'tally'
}

/**
 * Answers how many counters were wrong. Null if no list was frozen for such a campaign. Workers and
 * requests do not wait: each changes rows and counters in one transaction, so both agree in any
 * snapshot. A difference in the snapshot is added to the counters as they are by then.
 */
export async function recountCampaign(
  db: Connection,
  campaign: CampaignKey,
): Promise<number | null> {
  for (;;) {
    const compared = await db.transaction((tx) => compare(tx, campaign))
    if (compared === null) return null
    if (await db.transaction((tx) => mend(tx, campaign, compared))) return compared.wrong.length
  }
}

interface Compared {
  wrong: Wrong[]
  /** How often the campaign was recounted before. */
  round: number
}

/** False if a concurrent recount came first; both would have added the same difference. */
async function mend(
  tx: Database,
  campaign: CampaignKey,
  { wrong, round }: Compared,
): Promise<boolean> {
  const { workspaceId, campaignId } = campaign
  const isNext = await tx.count(sql`
    insert into campaign_recount as r (workspace_id, campaign_id, round)
    values (${workspaceId}, ${campaignId}, 1)
    on conflict (workspace_id, campaign_id) do update set round = r.round + 1 where r.round = ${round}`)
  if (isNext === 0) return false
  const [progress, tallies] = (['progress', 'tally'] as const).map((kind) =>
    wrong.filter((row) => row.of === kind),
  )
  await mendProgress(tx, campaign, progress ?? [])
  await mendTallies(tx, campaign, tallies ?? [])
  return true
}

async function compare(tx: Database, campaign: CampaignKey): Promise<Compared | null> {
  await tx.count(sql`set transaction isolation level repeatable read, read only`)
  // Before the first query, which fixes the moment: rows that moved to another partition since
  // would be in neither.
  await tx.count(sql`lock table campaign_recipient, engagement in access share mode`)
  const long = await allowSweeps(tx, countTimeoutMs)
  const [stored] = await tx.rows<Record<string, number>>(progressOf(campaign))
  if (!stored) return null
  const { round = 0, ...progress } = stored
  const [rows = {}] = await tx.rows<Record<string, number>>(long(rowsOf(campaign)))
  const engagements = await tx.rows<TallyRow>(long(engagementsOf(campaign)))
  const tallies = await tx.rows<TallyRow>(talliesOf(campaign))
  const {
    delivered = 0,
    assumed = 0,
    engaged = 0,
    bounced = 0,
    complained = 0,
    unsubscribed = 0,
    cancelled = 0,
    ...places
  } = rows
  const are = [
    ...asRows({ delivered, assumed, engaged, bounced, complained, unsubscribed, cancelled }),
    ...engagements,
  ]
  return {
    wrong: [
      ...differences(asRows(places), asRows(progress), 'progress'),
      ...differences(are, tallies, 'tally'),
    ],
    round,
  }
}

const asRows = (counts: Record<string, number>): TallyRow[] =>
  Object.entries(counts).map(([measure, count]) => ({ measure, label: '', count }))

/** A missing counter is zero. */
function differences(are: TallyRow[], stored: TallyRow[], of: Wrong['of']): Wrong[] {
  const missing = new Map<string, Wrong>()
  const add = ({ measure, label, count }: TallyRow, times: 1 | -1): void => {
    const name = JSON.stringify([measure, label])
    missing.set(name, {
      of,
      measure,
      label,
      count: (missing.get(name)?.count ?? 0) + times * count,
    })
  }
  for (const row of are) add(row, 1)
  for (const row of stored) add(row, -1)
  // Its counter also says that the sources of deliveries are counted, so it is there even where it
  // is zero.
  const isUncounted = of === 'tally' && !stored.some(({ measure }) => measure === 'assumed')
  return [...missing.values()].filter(
    ({ measure, count }) => count !== 0 || (isUncounted && measure === 'assumed'),
  )
}

const progressOf = ({ workspaceId, campaignId }: CampaignKey) => sql`
  select recipients, pending, sent, failed, suppressed, in_doubt,
    coalesce((select round
      from campaign_recount
      where workspace_id = ${workspaceId} and campaign_id = ${campaignId}),
      0) as round
  from campaign_run where workspace_id = ${workspaceId} and campaign_id = ${campaignId}`

const source = deliverySource(fragment`status`, fragment`delivered_by`)

const rowsOf = ({ workspaceId, campaignId }: CampaignKey) => sql`
  select count(*) as recipients,
    count(*) filter (where place = 'pending') as pending, count(*) filter (where place = 'sent') as sent,
    count(*) filter (where place = 'failed') as failed,
      count(*) filter (where place = 'suppressed') as suppressed,
    count(*) filter (where place = 'in_doubt') as in_doubt,
    count(*) filter (where status in ('delivered', 'complained')) as delivered,
      count(*) filter (where status = 'bounced') as bounced,
    count(*) filter (where ${source} = 'assumed') as assumed,
    count(*) filter (where ${source} = 'engaged') as engaged,
    count(*) filter (where status = 'complained') as complained, count(unsubscribed_at) as unsubscribed,
    count(*) filter (where place = 'failed' and cause = 'cancelled') as cancelled
  from (
    select status, delivered_by, cause, unsubscribed_at, campaign_place(state, status, sent_at) as place
    from campaign_recipient
    where workspace_id = ${workspaceId} and campaign_id = ${campaignId}
  ) r`

const engagementsOf = ({ workspaceId, campaignId }: CampaignKey) => sql`
  select v.measure, v.label, count(*) as count from campaign_engagement_count v
  join campaign_recipient r on r.workspace_id = ${workspaceId} and r.campaign_id = ${campaignId}
    and r.subscriber_id = v.subscriber_id
  where v.workspace_id = ${workspaceId} and v.campaign_id = ${campaignId} and r.status <> 'bounced'
  group by v.measure, v.label`

const talliesOf = ({ workspaceId, campaignId }: CampaignKey) => sql`
  select measure, label, count
  from campaign_tally
  where workspace_id = ${workspaceId} and campaign_id = ${campaignId}
    -- The ledger has each recipient's last answer alone, and not who reported a complaint.
    and measure <> all (array['refused', 'first_refused', 'proven_complaint'])`

async function mendProgress(
  tx: Database,
  { workspaceId, campaignId }: CampaignKey,
  wrong: Wrong[],
): Promise<void> {
  const by = (measure: string): number => wrong.find((row) => row.measure === measure)?.count ?? 0
  if (wrong.length === 0) return
  await tx.count(sql`
    update campaign_run p set recipients = p.recipients + n.recipients, ${addToProgress}
    from (select ${by('recipients')}::bigint as recipients, ${by('pending')}::bigint as pending,
      ${by('sent')}::bigint as sent, ${by('failed')}::bigint as failed,
      ${by('suppressed')}::bigint as suppressed, ${by('inDoubt')}::bigint as in_doubt, 0 as handed_over) n
    where workspace_id = ${workspaceId} and campaign_id = ${campaignId}`)
}

async function mendTallies(
  tx: Database,
  { workspaceId, campaignId }: CampaignKey,
  wrong: Wrong[],
): Promise<void> {
  await tx.count(sql`
    insert into campaign_tally (workspace_id, campaign_id, measure, label, count)
    select ${workspaceId}, ${campaignId}, measure, label, count
    from ${rowList(wrong, 't', { text: ['measure', 'label'], bigint: ['count'] })}
    order by measure, label
    ${addToTally}`)
}
