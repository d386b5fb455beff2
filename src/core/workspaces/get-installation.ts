/** GET /installation: the disk, and what fails, slows or waits, for an owner of every workspace. */
import type { InstallationState } from '../../contract/workspace/installation.ts'
import { backupState } from '../../database/transport/backup/backup-state.ts'
import { databaseCopy } from '../../database/transport/copy-state.ts'
import { withheldTotals } from '../../db/restore/withheld-counts.ts'
import { diskUsage, secondsUntilFull } from '../../db/retention/disk-by-class.ts'
import { throttledProviders } from '../../db/sending/provider-rates.ts'
import { tlsFailureCounts } from '../../db/sending/tls-results.ts'
import { ownsAllWorkspaces } from '../../db/users/memberships.ts'
import type { CallContext } from '../context.ts'
import { rfc3339 } from '../input/read-time.ts'
import type { Verb } from '../verb.ts'

export const getInstallation: Verb<'getInstallation'> = async (ctx) => {
  const mayRead = ctx.user !== null && (await ownsAllWorkspaces(ctx.db, ctx.user.id))
  return { body: { object: 'installation', state: mayRead ? await readState(ctx) : null } }
}

async function readState(ctx: CallContext): Promise<InstallationState> {
  const [disk, backup, copy, tls, throttled, withheld] = await Promise.all([
    readDisk(ctx),
    backupState(ctx.db),
    databaseCopy(ctx.db),
    tlsFailureCounts(ctx.db),
    throttledProviders(ctx.db, null),
    withheldTotals(ctx.db),
  ])
  return {
    disk,
    backup_failed: backup?.failedAt?.toISOString() ?? null,
    copy_share: copy && copy.state !== 'moved' ? copy.share : null,
    tls_failures: tls.domains === 0 ? null : tls,
    throttled: throttled.map(({ provider, since, until, perSecond }) => ({
      ...{ provider, since: since.toISOString(), until: until.toISOString() },
      per_second: perSecond,
    })),
    // The recipients of a campaign wait with it.
    withheld: withheld
      .filter(({ kind }) => kind !== 'campaign_recipient')
      .reduce((sum, { withheld: count }) => sum + count, 0),
  }
}

async function readDisk(ctx: CallContext): Promise<InstallationState['disk']> {
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
