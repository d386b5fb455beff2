/**
 * Verifies a backup by restoring it into a database that is made for it and removed, and by reading
 * everything back.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BackupReader } from './backup-reader.ts'
import { createRowDigest } from '../row-digest.ts'
import { readSnapshot } from '../read-snapshot.ts'
import { startEmbedded } from '../../embedded/embedded-postgres.ts'
import { OperatorError } from '../../../ground/operator-error.ts'
import { parseMasterKey } from '../../../ground/setting-readers.ts'
import { createSecrets } from '../../../ground/secrets.ts'
import { removeAbandoned } from './remove-abandoned.ts'
import { makeScratchFolder, removeScratch, scratchParents } from './scratch-folder.ts'
import { checkFiles } from './check-files.ts'
import { checkVersion, loadBackup } from './load-backup.ts'
import type { BackupProgress } from './write-backup.ts'

export interface VerifiedBackup {
  tables: number
  rows: number
  bytes: number
}

/** Throws `OperatorError` that says what is wrong. */
export async function verifyBackup(
  backup: BackupReader,
  { onProgress, signal }: { onProgress(progress: BackupProgress): void; signal: AbortSignal },
): Promise<VerifiedBackup> {
  checkVersion(backup.manifest)
  await checkFiles(backup, { signal })
  const folder = makeScratchFolder(backup.path)
  for (const parent of scratchParents(backup.path)) removeAbandoned(parent, folder)
  const isAlive = showAlive(folder)
  try {
    const database = await startEmbedded({ folder, kind: 'command', durable: false, signal })
    try {
      const { connectionString } = database
      await loadBackup({
        ...{ connectionString, backup, isRestore: false, signal },
        onProgress(progress) {
          isAlive()
          onProgress(progress)
        },
      })
      await compareTables(connectionString, backup, { isAlive, signal })
    } finally {
      await database.stop()
    }
  } finally {
    removeScratch(folder)
  }
  const { tables } = backup.manifest
  const sum = (key: 'rows' | 'bytes'): number =>
    tables.reduce((total, table) => total + table[key], 0)
  return { tables: tables.length, rows: sum('rows'), bytes: sum('bytes') }
}

/**
 * Changes a file of the folder now and then, so that no other verification takes it for abandoned.
 */
function showAlive(folder: string): () => void {
  let steps = 0
  return () => {
    if (steps++ % 256 === 0) writeFileSync(join(folder, 'alive'), '')
  }
}

/**
 * Checks that the database has what the backup says: every row of every table, each sequence, and
 * no further table.
 */
async function compareTables(
  connectionString: string,
  { manifest, path }: BackupReader,
  { isAlive, signal }: { isAlive(): void; signal: AbortSignal },
): Promise<void> {
  await readSnapshot(connectionString, async ({ tables, copy, keyFingerprint, sequences }) => {
    if (keyFingerprint !== manifest.keyFingerprint)
      throw new OperatorError(`${path} names another master key than its database.`)
    for (const { name, value, isCalled } of manifest.sequences) {
      const match = sequences.find((sequence) => sequence.name === name)
      if (match?.value !== value || match.isCalled !== isCalled)
        throw new OperatorError(
          `${path}: the sequence ${name} was restored at ${match?.value ?? 'no value'}, not at ${value}.`,
        )
    }
    for (const table of tables) {
      const expected = manifest.tables.find(({ name }) => name === table.name)
      const rows = createRowDigest()
      for await (const chunk of copy(table)) {
        signal.throwIfAborted()
        isAlive()
        rows.add(chunk)
      }
      const result = rows.end()
      if (result.rows !== expected?.rows || result.digest !== expected.digest)
        throw new OperatorError(
          `${path}: ${table.name} was restored with ${result.rows} rows of ${expected?.rows ?? 'no'}, or with others.`,
        )
    }
  })
}

/**
 * Whether a key opens the secrets of a backup; throws `OperatorError` for a text that is no key, or
 * another one.
 */
export function readBackupKey(
  text: string,
  { path, manifest }: Pick<BackupReader, 'path' | 'manifest'>,
): Buffer {
  const key = parseMasterKey(text)
  if (!key || createSecrets(key).fingerprint !== manifest.keyFingerprint)
    throw new OperatorError(
      `This is not the master key of ${path}: its fingerprint begins with ${manifest.keyFingerprint.slice(0, 8)}.`,
    )
  return key
}
