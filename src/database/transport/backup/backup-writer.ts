/** Writes the files of a backup into a folder that appears under its name only when it is whole. */
import { open, mkdir, rename, rm, type FileHandle } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { onFiles } from '../../../ground/file-error.ts'
import { tableFile } from './backup-manifest.ts'

/** Where a backup goes: a folder, or an archive. */
export interface BackupWriter {
  /** Adds the next piece of a table; the pieces of one table follow each other. */
  addPiece(table: string, piece: number, bytes: Buffer): Promise<void>
  addFile(name: string, bytes: Buffer): Promise<void>
  /** Everything was added. */
  finish(): Promise<void>
  /** Leaves nothing behind. */
  abandon(): Promise<void>
}

/** Its parent exists. Each step throws `FileError` when the disk refuses it. */
export async function writeFolder(folder: string): Promise<BackupWriter> {
  const unfinished = `${folder}.unfinished`
  const writing = (work: () => Promise<void>): Promise<void> => onFiles(folder, 'written', work)
  await writing(async () => {
    await rm(unfinished, { recursive: true, force: true })
    await mkdir(unfinished, { mode: 0o700 })
  })
  let current: { table: string; file: FileHandle } | null = null
  const closeTable = async (): Promise<void> => {
    const file = current?.file
    current = null
    if (file) await syncAndClose(file)
  }
  return {
    addPiece: (table, _piece, bytes) =>
      writing(async () => {
        if (current?.table !== table) {
          await closeTable()
          current = { table, file: await open(join(unfinished, tableFile(table)), 'wx', 0o600) }
        }
        await current.file.writeFile(bytes)
      }),
    addFile: (name, bytes) => writing(() => writeSynced(join(unfinished, name), bytes)),
    finish: () =>
      writing(async () => {
        await closeTable()
        await syncFolder(unfinished)
        await rename(unfinished, folder)
        await syncFolder(dirname(folder))
      }),
    async abandon() {
      await closeTable().catch(() => undefined)
      // Files that stay are removed a day later.
      await rm(unfinished, { recursive: true, force: true }).catch(() => undefined)
    },
  }
}

/** Writes a file that only its owner can read; it is on the disk when this returns. */
async function writeSynced(path: string, bytes: Buffer): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  await file.writeFile(bytes)
  await syncAndClose(file)
}

async function syncAndClose(file: FileHandle): Promise<void> {
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

async function syncFolder(folder: string): Promise<void> {
  await syncAndClose(await open(folder, 'r'))
}
