/** Adds a backup to a folder of backups, with the master key in a file of its own beside them. */
import { existsSync } from 'node:fs'
import { chmod, rename, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { shownBytes } from '../../../ground/shown-values.ts'
import { keyFileNextTo } from './backup-reader.ts'
import { writeFolder } from './backup-writer.ts'
import { onFiles } from '../../../ground/file-error.ts'
import { makeFolder } from '../../../ground/make-folder.ts'
import { OperatorError } from '../../../ground/operator-error.ts'
import { backupsIn } from './backups-in.ts'
import { removeAbandoned } from './remove-abandoned.ts'
import { writeBackup, type WriteBackup, type WrittenBackup } from './write-backup.ts'

export interface BackUpToFolder extends Omit<WriteBackup, 'openWriter'> {
  /** Absolute. Each backup is a folder in it. */
  folder: string
}

/**
 * Writes a backup into a folder of its own, `path`. `keyPlace` is the file of the key. Null if the
 * caller gave no key, or the file was moved away.
 */
export async function backUpToFolder({
  folder,
  key,
  ...rest
}: BackUpToFolder): Promise<WrittenBackup & { path: string; keyPlace: string | null }> {
  await onFiles(folder, 'made', async () => makeFolder(folder, 0o700))
  const written = await writeBackup({
    ...rest,
    key: null,
    async openWriter({ name, keyFingerprint, bytes }) {
      await onFiles(folder, 'written', () => checkRoom(folder, { keyFingerprint, bytes }))
      return writeFolder(join(folder, name))
    },
  })
  const { name, keyFingerprint } = written.manifest
  removeAbandoned(folder, folder)
  const keyPlace =
    key &&
    (await onFiles(folder, 'written', () => keepKey(folder, { key, keyFingerprint, backup: name })))
  return { ...written, path: join(folder, name), keyPlace }
}

/**
 * A backup begins only where it will find room. The last one shows how small the data becomes, and
 * twice that leaves room for growth. Without one, the size of the tables is the bound: a backup is
 * smaller.
 */
async function checkRoom(
  folder: string,
  { keyFingerprint, bytes }: { keyFingerprint: string; bytes: number },
): Promise<void> {
  const { bavail, bsize } = await statfs(folder)
  const free = bavail * bsize
  if (free >= bytes) return
  const last = (await backupsIn(folder, keyFingerprint).next()).value
  const needed = Math.min(bytes, 2 * (last?.bytes ?? Infinity))
  if (free >= needed) return
  throw new OperatorError(
    `${folder} has ${shownBytes(free)} free, and a backup may need ${shownBytes(needed)}: make room, or name another disk. Nothing was written.`,
  )
}

/**
 * Stores the key with the first backup of an installation. An operator who moved it to another
 * place does not find it here again.
 */
async function keepKey(
  folder: string,
  { key, keyFingerprint, backup }: { key: Buffer; keyFingerprint: string; backup: string },
): Promise<string | null> {
  const path = join(folder, keyFileNextTo(keyFingerprint))
  if (existsSync(path)) return path
  for await (const { name } of backupsIn(folder, keyFingerprint)) if (name !== backup) return null
  return writeKey(path, key)
}

async function writeKey(path: string, key: Buffer): Promise<string> {
  const unfinished = `${path}.${process.pid}`
  await writeFile(unfinished, `${key.toString('base64')}\n`, { mode: 0o600, flush: true })
  // An older umask or copy may have opened it.
  await chmod(unfinished, 0o600)
  await rename(unfinished, path)
  return path
}
