/**
 * Restores a backup into an empty database, and holds what was pending in it
 * (docs/decisions/0049-backups.md).
 */
import type { BackupReader } from '../../database/transport/backup/backup-reader.ts'
import { withholdPending } from '../../db/restore/withhold-pending.ts'
import { findContent } from '../../database/transport/load-tables.ts'
import { migrate } from '../../database/schema/migrate.ts'
import { OperatorError } from '../../ground/operator-error.ts'
import { checkVersion, loadBackup } from '../../database/transport/backup/load-backup.ts'
import type { BackupProgress } from '../../database/transport/backup/write-backup.ts'

export interface RestoreBackup {
  connectionString: string
  backup: BackupReader
  /** Called when the database was found empty, before anything is loaded. */
  onBegin(): void
  /** Called once everything was loaded and checked, before it holds: stores the key. */
  beforeCommit(): void
  /** Called when everything is loaded for good. */
  onLoaded(): void
  progress(text: string): void
  onProgress(progress: BackupProgress): void
  signal: AbortSignal
}

/**
 * Throws `OperatorError` when the database is not empty, or the backup cannot be loaded; then
 * nothing was restored.
 */
export async function restoreBackup(options: RestoreBackup): Promise<void> {
  const { connectionString, backup, progress, signal } = options
  checkVersion(backup.manifest)
  await checkEmpty(connectionString, backup)
  options.onBegin()
  progress('Preparing the tables')
  await loadBackup({ ...options, isRestore: true })
  options.onLoaded()
  // From here on the restore is a fact: a start would do what is left.
  progress('Preparing the tables of this version')
  await migrate(connectionString, { signal, progress })
  await withholdPending(connectionString)
}

async function checkEmpty(connectionString: string, { manifest }: BackupReader): Promise<void> {
  const { migrations, isUsed, others } = await findContent(connectionString)
  if (isUsed)
    throw new OperatorError(`There is an installation already: ${elsewhere} Nothing was changed.`)
  const strange =
    others[0] ??
    migrations.find((name) => manifest.migrations.every((known) => known.name !== name))
  if (strange !== undefined)
    throw new OperatorError(
      `The database is not empty (it has ${strange}): ${elsewhere} Nothing was changed.`,
    )
}

const elsewhere =
  'restore into an empty folder (FACTEUR_DATA), or into a new database (DATABASE_URL).'
