/** GET /overview: mail figures, the quota, whether the workspace may send, and its first steps. */
import type { Overview } from '../../contract/workspace/overview.ts'
import { bounceRateMax, complaintRateMax, gmailSpamRateMax } from '../../contract/thresholds.ts'
import { backupState } from '../../database/transport/backup/backup-state.ts'
import { databaseCopy } from '../../database/transport/copy-state.ts'
import { withheldInWorkspace, isAnyWithheld } from '../../db/restore/withheld-counts.ts'
import { setUpOf } from '../../db/workspaces/overview.ts'
import { newestGmailRates } from '../../db/postmaster/postmaster-domains.ts'
import { throttledProviders } from '../../db/sending/provider-rates.ts'
import { tlsFailureCounts } from '../../db/sending/tls-results.ts'
import type { CallContext } from '../context.ts'
import { accountStatus } from '../../db/workspaces/account-status.ts'
import { gmailRate, sendingStatus, suspendedSince } from '../reputation/account-status.ts'
import { diskUsage, secondsUntilFull } from '../../db/retention/disk-by-class.ts'
import { ownsAllWorkspaces } from '../../db/users/memberships.ts'
import { rfc3339 } from '../input/read-time.ts'
import { readMailDays } from './read-mail-days.ts'
import type { Verb } from '../verb.ts'

type Caller = Pick<CallContext, 'db' | 'workspaceId' | 'providers'>

export const getOverview: Verb<'getOverview'> = async (ctx) => {
  const [days, account, rates, steps, throttled, withheld, installation] = await Promise.all([
    readMailDays(ctx),
    accountStatus(ctx.db, ctx.workspaceId, { countsRunning: true }),
    newestGmailRates(ctx.db, ctx.workspaceId),
    setUpOf(ctx.db, ctx.workspaceId),
    readThrottled(ctx),
    readWithheld(ctx),
    readInstallation(ctx),
  ])
  const { plan, monthlyQuota, used, sharing, resetsAt, handOffs, bounces, complaints } = account
  return {
    body: {
      object: 'overview',
      days: days.map(({ day, counts }) => ({ day, counts })),
      quota: {
        ...{ plan, limit: monthlyQuota, used },
        remaining: monthlyQuota === null ? null : Math.max(0, monthlyQuota - used),
        resets_at: resetsAt.toISOString(),
        workspaces: sharing,
      },
      sending: {
        ...sendingStatus(account),
        suspended_since: suspendedSince(account),
        ...{ hand_offs: handOffs, bounces, complaints },
        ...{ bounce_rate_max: bounceRateMax, complaint_rate_max: complaintRateMax },
        gmail: gmailRate(account),
        gmail_rates: rates.map(({ domain, day, spamRate }) => ({
          domain,
          day,
          spam_rate: spamRate,
        })),
        gmail_spam_rate_max: gmailSpamRateMax,
        ...{
          hand_offs_min: account.handOffsMin,
          bounces_min: account.bouncesMin,
          complaints_min: account.complaintsMin,
        },
      },
      steps,
      throttled,
      held: withheld,
      ...installation,
      smtp: ctx.settings.submission,
      captures: ctx.providers.of(ctx.workspaceId).captures,
    },
  }
}

/**
 * Only for somebody who owns every workspace: sizes say something about others' mail, and the rest
 * is the operator's work.
 */
async function readInstallation(
  ctx: CallContext,
): Promise<Pick<Overview, 'disk' | 'backup_failed' | 'copy_share' | 'tls_failures'>> {
  if (!ctx.user || !(await ownsAllWorkspaces(ctx.db, ctx.user.id)))
    return { disk: null, backup_failed: null, copy_share: null, tls_failures: null }
  const [disk, backup, copy, tls] = await Promise.all([
    readDisk(ctx),
    backupState(ctx.db),
    databaseCopy(ctx.db),
    tlsFailureCounts(ctx.db),
  ])
  return {
    disk,
    backup_failed: backup?.failedAt?.toISOString() ?? null,
    copy_share: copy && copy.state !== 'moved' ? copy.share : null,
    tls_failures: tls.domains === 0 ? null : tls,
  }
}

async function readDisk(ctx: CallContext): Promise<Overview['disk']> {
  const { classes, bytesPerDay, measuredAtSeconds } = await diskUsage(ctx.db)
  if (measuredAtSeconds === null) return null
  const room = ctx.roomBytes?.() ?? null
  const seconds = room === null ? null : secondsUntilFull(room, bytesPerDay)
  return {
    classes,
    measured_at: rfc3339(measuredAtSeconds * 1000),
    bytes_per_day: bytesPerDay,
    full_at:
      seconds === null
        ? null
        : rfc3339(ctx.clock.now().getTime() + Math.min(seconds, centurySeconds) * 1000),
    is_disk_known: room !== null,
  }
}

/** A later end says no more. */
const centurySeconds = 100 * 365 * 86_400

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

async function readWithheld({ db, workspaceId }: Caller): Promise<Overview['held']> {
  const counts = await withheldInWorkspace(db, workspaceId)
  const { mails, started, campaigns, deliveries, signUps, imports } = counts
  return isAnyWithheld(counts)
    ? { mails: mails + started, campaigns, others: deliveries + signUps + imports }
    : null
}
