/** Adds a backup to a folder of backups, with the master key in a file of its own beside them. */
import { chmod, mkdir, readdir, rename, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { bytesCell } from '../../cells.ts'
import { keyFileBeside } from '../../backup-files/backup-reader.ts'
import { writeFolder } from '../../backup-files/backup-writer.ts'
import { OperatorError } from '../../operator-error.ts'
import { removeAbandoned } from './remove-abandoned.ts'
import { writeBackup, type WriteBackup, type WrittenBackup } from './write-backup.ts'

export interface BackUpToFolder extends Omit<WriteBackup, 'openWriter'> {
  /** Absolute. Each backup is a folder in it. */
  folder: string
}

/** Of a finished backup. */
export const backupName = /^facteur-\d{8}T\d{6}Z$/

/** `place`: the folder of the backup; `keyPlace`: the file of the key, null when none was given, or it was moved away. */
export async function backUpToFolder({
  folder,
  key,
  ...given
}: BackUpToFolder): Promise<WrittenBackup & { place: string; keyPlace: string | null }> {
  await makeFolderOf(folder)
  const written = await writeBackup({
    ...given,
    key: null,
    async openWriter({ name, bytes }) {
      await checkRoom(folder, bytes)
      return writeFolder(join(folder, name))
    },
  })
  const { name, keyFingerprint } = written.manifest
  removeAbandoned(folder, folder)
  const keyPlace = key && (await keepKey(folder, { key, name: keyFileBeside(keyFingerprint), backup: name }))
  return { ...written, place: join(folder, name), keyPlace }
}

async function makeFolderOf(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new OperatorError(
      `${folder} cannot be made (${(error as NodeJS.ErrnoException).code}): name a folder that you can write.`,
    )
  }
}

/** A backup is smaller than its tables. It begins only where even those would find room. */
async function checkRoom(folder: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder)
  const free = bavail * bsize
  if (free >= bytes) return
  throw new OperatorError(
    `${folder} has ${bytesCell(free)} free, and a backup may need ${bytesCell(bytes)}: make room, or name another disk. Nothing was written.`,
  )
}

/** Stores the key with the first backup. Who moved it to another place does not find it here again. */
async function keepKey(
  folder: string,
  { key, name, backup }: { key: Buffer; name: string; backup: string },
): Promise<string | null> {
  const names = await readdir(folder)
  if (names.includes(name)) return join(folder, name)
  const isMoved = names.some((each) => backupName.test(each) && each !== backup)
  return isMoved ? null : writeKey(join(folder, name), key)
}

async function writeKey(path: string, key: Buffer): Promise<string> {
  const unfinished = `${path}.${process.pid}`
  await writeFile(unfinished, `${key.toString('base64')}\n`, { mode: 0o600, flush: true })
  // An older umask or copy may have opened it.
  await chmod(unfinished, 0o600)
  await rename(unfinished, path)
  return path
}
