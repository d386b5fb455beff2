/** GET /overview: results, the quota, whether the workspace may send, and its first steps. */
import type { Overview } from '../../contract/workspace/overview.ts'
import { bounceRateMax, complaintRateMax, gmailSpamRateMax } from '../../contract/thresholds.ts'
import { withheldInWorkspace, isAnyWithheld } from '../../db/restore/withheld-counts.ts'
import { attentionOf } from '../../db/workspaces/attention.ts'
import { setUpOf } from '../../db/workspaces/first-steps.ts'
import { campaignsById, type CampaignRow } from '../../db/campaigns/campaigns.ts'
import { recentCampaignIds } from '../../db/campaigns/recent-campaigns.ts'
import { readOneMoment } from '../../database/client/read-one-moment.ts'
import { campaignCounts, readerRates } from '../presentation/present-campaign.ts'
import type { RecentCampaign } from '../../contract/workspace/overview-period.ts'
import { newestGmailRates } from '../../db/postmaster/postmaster-domains.ts'
import { throttledProviders } from '../../db/sending/provider-rates.ts'
import type { Database } from '../../database/client/database.ts'
import type { CallContext } from '../context.ts'
import { accountStatus, type AccountStatusRow } from '../../db/workspaces/account-status.ts'
import { gmailRate, sendingStatus, suspendedSince } from '../reputation/account-status.ts'
import { rfc3339 } from '../input/read-time.ts'
import { attentionQuery, listAttention } from './read-attention.ts'
import { countMailDays } from './read-mail-days.ts'
import { readPeriod } from './read-period.ts'
import type { Verb } from '../verb.ts'

type Caller = Pick<CallContext, 'db' | 'workspaceId' | 'providers'>

const campaignsShown = 5

export const getOverview: Verb<'getOverview'> = async (ctx, { query }) => {
  const days = Number(query.days ?? '30')
  await countMailDays(ctx, 2 * days)
  const [{ account, rates, steps, withheld, rows, ...results }, throttled] = await Promise.all([
    readWorkspace(ctx, days),
    readThrottled(ctx),
  ])
  const known = {
    ...{ quota: quotaOf(account), sending: sendingOf(account, rates) },
    ...{ throttled, held: withheld },
  }
  return {
    body: {
      object: 'overview',
      ...results,
      attention: listAttention(rows, known),
      ...known,
      steps,
      smtp: ctx.settings.submission,
      captures: ctx.providers.of(ctx.workspaceId).captures,
    },
  }
}

/** All that the page shows of the workspace's tables, of one moment. */
const readWorkspace = ({ db, workspaceId }: Caller, days: number) =>
  db.transaction(async (tx) => {
    await readOneMoment(tx)
    const ids = await recentCampaignIds(tx, workspaceId, campaignsShown)
    const campaigns = await campaignsById(tx, workspaceId, ids)
    return {
      period: await readPeriod(tx, workspaceId, days),
      campaigns: ids.flatMap((id) => campaigns.filter((row) => row.id === id).map(showCampaign)),
      rows: await attentionOf(tx, workspaceId, attentionQuery),
      account: await accountStatus(tx, workspaceId, { countsRunning: true }),
      rates: await newestGmailRates(tx, workspaceId),
      steps: await setUpOf(tx, workspaceId),
      withheld: await readWithheld(tx, workspaceId),
    }
  })

function showCampaign(row: CampaignRow): RecentCampaign {
  const counts = campaignCounts(row)
  const { opened, clicked } = readerRates(row)
  return {
    ...{ id: row.id, name: row.name, status: row.status },
    sent_at: row.sentAt && rfc3339(row.sentAt),
    sent: row.progress.sent,
    ...{ delivered: counts.delivered, opened: counts.opened, clicked: counts.clicked },
    ...{ open_rate: opened, click_rate: clicked },
  }
}

const quotaOf = ({
  plan,
  monthlyQuota: limit,
  used,
  sharing,
  resetsAt,
}: AccountStatusRow): Overview['quota'] => ({
  ...{ plan, limit, used },
  remaining: limit === null ? null : Math.max(0, limit - used),
  resets_at: resetsAt.toISOString(),
  workspaces: sharing,
})

const sendingOf = (
  account: AccountStatusRow,
  rates: { domain: string; day: string; spamRate: number }[],
): Overview['sending'] => ({
  ...sendingStatus(account),
  suspended_since: suspendedSince(account),
  ...{ hand_offs: account.handOffs, bounces: account.bounces, complaints: account.complaints },
  ...{ bounce_rate_max: bounceRateMax, complaint_rate_max: complaintRateMax },
  gmail: gmailRate(account),
  gmail_rates: rates.map(({ domain, day, spamRate }) => ({ domain, day, spam_rate: spamRate })),
  gmail_spam_rate_max: gmailSpamRateMax,
  ...{
    hand_offs_min: account.handOffsMin,
    bounces_min: account.bouncesMin,
    complaints_min: account.complaintsMin,
  },
})

async function readThrottled({
  db,
  providers,
  workspaceId,
}: Caller): Promise<Overview['throttled']> {
  const rate = providers.rateOf(workspaceId)
  const [throttled] = rate === null ? [] : await throttledProviders(db, rate.key)
  if (!throttled) return null
  const { since, until, perSecond } = throttled
  return { since: since.toISOString(), until: until.toISOString(), per_second: perSecond }
}

async function readWithheld(tx: Database, workspaceId: number): Promise<Overview['held']> {
  const counts = await withheldInWorkspace(tx, workspaceId)
  const { mails, started, campaigns, deliveries, signUps, imports } = counts
  return isAnyWithheld(counts)
    ? { mails: mails + started, campaigns, others: deliveries + signUps + imports }
    : null
}
