/**
 * Checks that scheduled backups are made, when the last one was, and that they do not share the
 * fate of the data.
 */
import type { Config } from '../../../ground/config.ts'
import { backupState } from '../../../database/transport/backup/backup-state.ts'
import type { Database } from '../../../database/client/database.ts'
import { shownTime } from '../../../ground/shown-values.ts'
import { isInData } from '../../../database/embedded/postgres-location.ts'
import { failed, passed, warned, type Check } from './check.ts'

export async function checkBackups(
  db: Database,
  { backupFolder, backupEverySeconds, databaseUrl, dataFolder }: Config,
): Promise<Check[]> {
  const state = await backupState(db)
  if (backupFolder === null && !state) return []
  const last = state?.takenAt
    ? `the last scheduled backup is of ${shownTime(state.takenAt)} UTC`
    : 'there is no scheduled backup yet'
  if (state?.error) {
    const next =
      'Make room in FACTEUR_BACKUP_DIR, or let the service write there; it is tried again within ten minutes.'
    return [
      failed(
        'backups',
        `the scheduled backup of ${shownTime(state.failedAt)} UTC failed, and ${last}. ${state.error}`,
        next,
      ),
    ]
  }
  if (backupFolder === null)
    return [passed('backups', `none are scheduled here (FACTEUR_BACKUP_DIR); ${last}`)]
  const about = `${last}, in ${backupFolder}`
  if (databaseUrl === null && isInData(backupFolder, dataFolder))
    return [
      warned(
        'backups',
        `${about}, which lies in the data folder and is lost with it`,
        'Let FACTEUR_BACKUP_DIR name another disk.',
      ),
    ]
  if (state !== null && (state.ageSeconds ?? Infinity) < 2 * backupEverySeconds)
    return [passed('backups', about)]
  return [warned('backups', about, 'Start a process with the role worker and FACTEUR_BACKUP_DIR.')]
}
