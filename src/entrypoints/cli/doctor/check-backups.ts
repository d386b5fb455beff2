/** Checks that scheduled backups are made, and when the last one was. */
import type { Config } from '../../../config.ts'
import { backupState } from '../../../db/backups/backup-state.ts'
import type { Database } from '../../../db/connection/connect.ts'
import { timeCell } from '../../../cells.ts'
import { failed, passed, warned, type Check } from './check.ts'

export async function checkBackups(db: Database, { backupFolder, backupEverySeconds }: Config): Promise<Check[]> {
  if (backupFolder === null) return []
  const state = await backupState(db)
  const last = state?.takenAt ? `the last backup is of ${timeCell(state.takenAt)} UTC` : 'there is no backup yet'
  if (state?.error) {
    const next = 'Make room in FACTEUR_BACKUP_DIR, or let the service write there; it is tried again within ten minutes.'
    return [failed('backups', `the backup of ${timeCell(state.failedAt)} UTC failed: ${state.error}; ${last}`, next)]
  }
  if (state !== null && (state.ageSeconds ?? Infinity) < 2 * backupEverySeconds)
    return [passed('backups', `${last}, in ${backupFolder}`)]
  return [warned('backups', `${last}, in ${backupFolder}`, 'Start a process with the role worker and FACTEUR_BACKUP_DIR.')]
}
