/**
 * The metric of the schedule that a process has for backups: with it, an alert knows when the last
 * one is too old, or missing.
 */
import type { Config } from '../../ground/config.ts'
import type { MakeGauge } from './work-counters.ts'

export type BackupSchedule = Pick<Config, 'backupFolder' | 'backupEverySeconds'>

export function addBackupSchedule(
  { backupFolder, backupEverySeconds }: BackupSchedule,
  gauge: MakeGauge,
): void {
  gauge(
    'facteur_backup_interval_seconds',
    'FACTEUR_BACKUP_EVERY of this process; NaN without FACTEUR_BACKUP_DIR',
  ).set(backupFolder === null ? Number.NaN : backupEverySeconds)
}
