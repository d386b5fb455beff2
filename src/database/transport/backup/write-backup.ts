/**
 * Writes a backup of a database that others use: each table as it was at one moment, the sequences,
 * and the manifest that proves them whole (docs/decisions/0049-backups.md).
 */
import { createHash } from 'node:crypto'
import {
  bytesOfPieces,
  keyFile,
  manifestFile,
  type BackedUpTable,
  type BackupManifest,
} from './backup-manifest.ts'
import type { BackupWriter } from './backup-writer.ts'
import { createRowDigest } from '../row-digest.ts'
import { readSnapshot, type Snapshot } from '../read-snapshot.ts'
import type { TableShape } from '../table-shapes.ts'
import { OperatorError } from '../../../ground/operator-error.ts'
import { programVersion } from '../../../ground/program-version.ts'
import { compressedPieces } from './pieces.ts'

export interface BackupProgress {
  /** From 0 to 1, as far as sizes on the disk tell. */
  share: number
  rows: number
}

export interface WriteBackup {
  connectionString: string
  /**
   * Opens the place; `bytes`: how much it may take, uncompressed. Throws `OperatorError` when it
   * has no room.
   */
  openWriter(backup: {
    name: string
    takenAt: Date
    keyFingerprint: string
    bytes: number
  }): Promise<BackupWriter>
  /** The master key to store with the data. Null if it goes elsewhere. */
  key: Buffer | null
  /** Whether the schedule makes it, and may remove it later. */
  isScheduled: boolean
  onProgress(progress: BackupProgress): void
  signal: AbortSignal
}

export interface WrittenBackup {
  manifest: BackupManifest
  rows: number
  /** Compressed bytes of all tables. */
  bytes: number
  /** SHA-256 of the manifest, which holds that of each table. */
  checksum: string
}

/** Throws `OperatorError` when there is nothing to back up, and leaves nothing half written. */
export function writeBackup(options: WriteBackup): Promise<WrittenBackup> {
  const { connectionString, openWriter, key, isScheduled, onProgress, signal } = options
  return readSnapshot(connectionString, async (snapshot) => {
    const { keyFingerprint, takenAt, tables } = snapshot
    if (keyFingerprint === null)
      throw new OperatorError(
        'There is nothing to back up: no service was started on this database.',
      )
    const name = nameOf(takenAt)
    const expected = tables.reduce((sum, { bytes }) => sum + bytes, 0)
    const writer = await openWriter({ name, takenAt, keyFingerprint, bytes: expected })
    try {
      const written = await writeTables(snapshot, {
        writer,
        signal,
        onProgress: progressOf(expected, onProgress),
      })
      const manifest: BackupManifest = {
        ...{
          format: 1,
          name,
          facteur: programVersion(),
          postgres: snapshot.serverVersion,
          takenAt: takenAt.toISOString(),
        },
        ...(isScheduled && { scheduled: true }),
        ...{ keyFingerprint, migrations: snapshot.migrations, tables: written },
        ...{ partitions: snapshot.partitions, sequences: snapshot.sequences },
      }
      if (key) await writer.addFile(keyFile, Buffer.from(`${key.toString('base64')}\n`))
      const bytes = Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`)
      await writer.addFile(manifestFile, bytes)
      await writer.finish()
      return {
        manifest,
        ...sumsOf(written),
        checksum: createHash('sha256').update(bytes).digest('hex'),
      }
    } catch (error) {
      await writer.abandon()
      throw error
    }
  })
}

/** `facteur-20261123T051553Z`: sorted by name, sorted by time. */
const nameOf = (takenAt: Date): string =>
  `facteur-${takenAt.toISOString().replaceAll(/[-:]|\.\d+/g, '')}`

function progressOf(
  expected: number,
  onProgress: (progress: BackupProgress) => void,
): TableProgress {
  let done = 0
  let rows = 0
  return {
    at: (share, table) =>
      onProgress({
        share: expected > 0 ? Math.min(1, (done + share * table.bytes) / expected) : 1,
        rows,
      }),
    ended(table, count) {
      done += table.bytes
      rows += count
    },
  }
}

interface TableProgress {
  at(share: number, table: TableShape): void
  ended(table: TableShape, rows: number): void
}

async function writeTables(
  { tables, copy }: Pick<Snapshot, 'tables' | 'copy'>,
  {
    writer,
    signal,
    onProgress,
  }: { writer: BackupWriter; signal: AbortSignal; onProgress: TableProgress },
): Promise<BackedUpTable[]> {
  const written: BackedUpTable[] = []
  for (const table of tables) {
    const rows = createRowDigest()
    const sha256 = createHash('sha256')
    const pieces: number[] = []
    let bytes = 0
    const onChunk = (chunk: Buffer): void => {
      rows.add(chunk)
      bytes += chunk.length
      signal.throwIfAborted()
      onProgress.at(Math.min(1, bytes / Math.max(1, table.bytes)), table)
    }
    for await (const piece of compressedPieces(copy(table), onChunk)) {
      await writer.addPiece(table.name, pieces.length, piece)
      sha256.update(piece)
      pieces.push(piece.length)
    }
    const counted = rows.end()
    onProgress.ended(table, counted.rows)
    written.push({
      name: table.name,
      columns: table.columns,
      ...counted,
      bytes,
      pieces,
      sha256: sha256.digest('hex'),
    })
  }
  return written
}

const sumsOf = (tables: BackedUpTable[]): { rows: number; bytes: number } => ({
  rows: tables.reduce((sum, { rows }) => sum + rows, 0),
  bytes: bytesOfPieces(tables),
})
