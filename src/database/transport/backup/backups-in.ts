/** Finds the finished backups of one installation in a folder, which others may share. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  bytesOfPieces,
  manifestFile,
  readManifest,
  type BackupManifest,
} from './backup-manifest.ts'

const backupName = /^facteur-\d{8}T\d{6}Z$/

export interface FoundBackup {
  name: string
  /** Of all tables, compressed. */
  bytes: number
  /** The schedule made it, and may remove it. */
  isScheduled: boolean
}

/** Newest first. A backup whose manifest cannot be read belongs to no installation. */
export async function* backupsIn(
  folder: string,
  keyFingerprint: string,
): AsyncGenerator<FoundBackup, undefined> {
  const names = (await readdir(folder)).filter((name) => backupName.test(name)).toSorted()
  for (const name of names.toReversed()) {
    const manifest = await manifestIn(join(folder, name))
    if (manifest?.keyFingerprint !== keyFingerprint) continue
    yield { name, bytes: bytesOfPieces(manifest.tables), isScheduled: manifest.scheduled === true }
  }
}

async function manifestIn(path: string): Promise<BackupManifest | null> {
  try {
    return readManifest(await readFile(join(path, manifestFile), 'utf8'), path)
  } catch {
    return null
  }
}
