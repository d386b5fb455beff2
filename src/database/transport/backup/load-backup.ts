/**
 * Loads a backup into an empty database: its own schema first, then every table, checked byte by
 * byte on the way.
 */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { BackedUpTable, BackupManifest } from './backup-manifest.ts'
import { damaged, type BackupReader } from './backup-reader.ts'
import { createRowDigest } from '../row-digest.ts'
import { loadTables } from '../load-tables.ts'
import { sqlState } from '../../client/database-errors.ts'
import { migrationsFolder, readMigrations } from '../../schema/migration-files.ts'
import { migrate } from '../../schema/migrate.ts'
import { OperatorError } from '../../../ground/operator-error.ts'
import { expandPiece } from './pieces.ts'
import type { BackupProgress } from './write-backup.ts'

export interface LoadBackup {
  connectionString: string
  backup: BackupReader
  /** Whether the copy replaces an installation: then the next start holds what was pending. */
  isRestore: boolean
  /** Called when everything was loaded and checked, before it holds. */
  beforeCommit?(): void
  onProgress(progress: BackupProgress): void
  signal: AbortSignal
}

/**
 * All or nothing. Throws `OperatorError` for a backup of a newer version, and for one that is
 * damaged.
 */
export async function loadBackup(options: LoadBackup): Promise<void> {
  const { connectionString, backup, isRestore, beforeCommit, onProgress, signal } = options
  const { manifest } = backup
  checkVersion(manifest)
  const only = manifest.migrations.map(({ name }) => name)
  await migrate(connectionString, { only, signal, completesStatistics: false })
  const expected = manifest.tables.reduce((sum, { bytes }) => sum + bytes, 0)
  let bytes = 0
  let rows = 0
  const { partitions } = manifest
  const tables = manifest.tables.map(({ name }) => name)
  await loadTables(connectionString, { tables, partitions }, async (loading) => {
    for (const table of manifest.tables) {
      await loadTable({ backup, table, target: loading.load(table) }, (chunk) => {
        bytes += chunk
        signal.throwIfAborted()
        onProgress({ share: expected > 0 ? bytes / expected : 1, rows })
      })
      rows += table.rows
    }
    await loading.setSequences(manifest.sequences)
    if (isRestore) await loading.markRestored(manifest.takenAt)
    beforeCommit?.()
  }).catch((error: unknown) => {
    throw isOfItsData(error)
      ? damaged(backup.path, `it does not fit its tables (${error.message})`)
      : error
  })
}

/**
 * The database refused what a manifest names, or a row: a bound before its beginning, a column that
 * there is not.
 */
const isOfItsData = (error: unknown): error is Error =>
  /^(?:22|23|42(?!501))/.test(sqlState(error) ?? '')

/**
 * This program has every migration of the backup, as it was applied there. Throws `OperatorError`.
 */
export function checkVersion({ name, facteur, migrations }: BackupManifest): void {
  const files = readMigrations(migrationsFolder)
  const unknown = migrations.filter((applied) => !files.some((file) => file.name === applied.name))
  if (unknown.length > 0)
    throw new OperatorError(
      `${name} is of a newer version of Facteur (${facteur}; it has ${unknown[0]?.name}): use that version. Nothing was changed.`,
    )
  const changed = migrations.find((applied) =>
    files.some((file) => file.name === applied.name && file.hash !== applied.hash),
  )
  if (changed)
    throw new OperatorError(
      `${name} has another ${changed.name} than this version of Facteur: use the one that wrote it.`,
    )
}

async function loadTable(
  {
    backup,
    table,
    target,
  }: { backup: BackupReader; table: BackedUpTable; target: Writable & { rowCount: number } },
  onBytes: (bytes: number) => void,
): Promise<void> {
  const digest = createRowDigest()
  const sha256 = createHash('sha256')
  const ended = finished(target)
  // A refusal of the database while we read: it is thrown below.
  ended.catch(() => undefined)
  try {
    for await (const piece of backup.pieces(table.name)) {
      sha256.update(piece)
      const chunk = await expandPiece(piece).catch(() => {
        throw damaged(backup.path, `a piece of ${table.name} cannot be read`)
      })
      digest.add(chunk)
      onBytes(chunk.length)
      if (!target.write(chunk)) await Promise.race([once(target, 'drain'), ended])
    }
    checkTable(backup, table, { sha256: sha256.digest('hex'), ...countedOr(backup, table, digest) })
    target.end()
    await ended
  } catch (error) {
    target.destroy()
    throw error
  }
}

function countedOr(
  backup: BackupReader,
  table: BackedUpTable,
  digest: ReturnType<typeof createRowDigest>,
): { rows: number; digest: string } {
  try {
    return digest.end()
  } catch {
    throw damaged(backup.path, `${table.name} ends in the middle of a row`)
  }
}

function checkTable(
  backup: Pick<BackupReader, 'path'>,
  table: BackedUpTable,
  result: Pick<BackedUpTable, 'sha256' | 'rows' | 'digest'>,
): void {
  if (result.sha256 !== table.sha256) throw damagedTable(backup, table.name)
  if (result.rows !== table.rows || result.digest !== table.digest)
    throw damaged(
      backup.path,
      `${table.name} has ${result.rows} rows, or others, where its manifest says ${table.rows}`,
    )
}

/** The file of a table is not the one that the manifest names. */
export const damagedTable = ({ path }: Pick<BackupReader, 'path'>, table: string): Error =>
  damaged(path, `the bytes of ${table} have another SHA-256 than its manifest says`)
