/** Reads a backup: a folder, or an archive in one file. */
import { hash } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { open, readFile, stat, type FileHandle } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fileError, onFiles } from '../../../ground/file-error.ts'
import { OperatorError } from '../../../ground/operator-error.ts'
import { BLOCK_BYTES } from './archive-writer.ts'
import {
  keyFile,
  manifestFile,
  pieceFile,
  readManifest,
  tableFile,
  type BackupManifest,
} from './backup-manifest.ts'

export interface BackupReader {
  manifest: BackupManifest
  /** SHA-256 of the manifest, which `facteur backup` printed. */
  checksum: string
  /** The folder or the file, as it was named. */
  path: string
  /** The compressed bytes of a table's pieces, in their order. */
  pieces(table: string): AsyncGenerator<Buffer>
  /** The text of the master key that an archive holds. Null if it holds none. */
  keyText: string | null
  close(): Promise<void>
}

/** Throws `OperatorError` when there is no backup at the place. */
export async function openBackup(path: string): Promise<BackupReader> {
  if (!existsSync(path)) throw new OperatorError(`There is no backup ${path}.`)
  const backup = await onFiles(path, 'read', () =>
    statSync(path).isDirectory() ? openFolder(path) : openArchive(path),
  )
  return {
    ...backup,
    async *pieces(table) {
      try {
        yield* backup.pieces(table)
      } catch (error) {
        throw fileError(path, 'read', error)
      }
    },
  }
}

/** A manifest names some hundred tables, and the pieces of each. */
const manifestBytesMax = 64_000_000

async function openFolder(folder: string): Promise<BackupReader> {
  const manifestPath = join(folder, manifestFile)
  if (!existsSync(manifestPath))
    throw new OperatorError(
      `${folder} is no backup: it has no ${manifestFile}. Name the folder of one backup, ${basename(folder)}/facteur-….`,
    )
  if ((await stat(manifestPath)).size > manifestBytesMax)
    throw damaged(folder, `its ${manifestFile} is too large`)
  const text = await readFile(manifestPath, 'utf8')
  const manifest = readManifest(text, folder)
  return {
    manifest,
    checksum: hash('sha256', text),
    path: folder,
    async *pieces(table) {
      const lengths = piecesOf(manifest, table)
      if (lengths.length === 0) return
      const path = join(folder, tableFile(table))
      const file = await open(path).catch(() => null)
      if (!file) throw damaged(folder, `${tableFile(table)} is missing`)
      try {
        let at = 0
        for (const length of lengths) {
          yield await readAt(file, at, length, () =>
            damaged(folder, `${tableFile(table)} is too short`),
          )
          at += length
        }
      } finally {
        await file.close()
      }
    },
    keyText: null,
    close: () => Promise.resolve(),
  }
}

async function openArchive(path: string): Promise<BackupReader> {
  const file = await open(path)
  try {
    const entries = await listEntries(file, path)
    const read = async (name: string): Promise<Buffer | null> => {
      const entry = entries.get(name)
      return entry
        ? readAt(file, entry.at, entry.size, () => damaged(path, `${name} is too short`))
        : null
    }
    if ((entries.get(manifestFile)?.size ?? 0) > manifestBytesMax)
      throw damaged(path, `its ${manifestFile} is too large`)
    const text = (await read(manifestFile))?.toString()
    if (text === undefined)
      throw damaged(path, `it has no ${manifestFile}, so it was not written to its end`)
    const manifest = readManifest(text, path)
    return {
      manifest,
      checksum: hash('sha256', text),
      path,
      async *pieces(table) {
        for (const piece of piecesOf(manifest, table).keys()) {
          const bytes = await read(pieceFile(table, piece))
          if (!bytes) throw damaged(path, `${pieceFile(table, piece)} is missing`)
          yield bytes
        }
      },
      keyText: (await read(keyFile))?.toString() ?? null,
      close: () => file.close(),
    }
  } catch (error) {
    await file.close()
    throw error
  }
}

export const damaged = (path: string, how: string): OperatorError =>
  new OperatorError(`The backup ${path} is damaged: ${how}.`)

function piecesOf({ tables }: BackupManifest, table: string): number[] {
  return tables.find(({ name }) => name === table)?.pieces ?? []
}

/** The files of an archive by their names without the folder. */
async function listEntries(
  file: FileHandle,
  path: string,
): Promise<Map<string, { at: number; size: number }>> {
  const entries = new Map<string, { at: number; size: number }>()
  const header = Buffer.alloc(BLOCK_BYTES)
  for (let at = 0; ;) {
    const { bytesRead } = await file.read(header, 0, BLOCK_BYTES, at)
    if (bytesRead < BLOCK_BYTES || header.every((byte) => byte === 0)) return entries
    if (header.toString('latin1', 257, 262) !== 'ustar')
      throw damaged(path, 'it is no tar archive of facteur backup')
    const name = textAt(header, 0, 100)
    const size = Number.parseInt(textAt(header, 124, 12), 8)
    if (!(size >= 0)) throw damaged(path, 'it is no tar archive of facteur backup')
    entries.set(name.slice(name.indexOf('/') + 1), { at: at + BLOCK_BYTES, size })
    at += BLOCK_BYTES + Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES
  }
}

const textAt = (header: Buffer, at: number, length: number): string =>
  header.toString('utf8', at, at + length).split('\0')[0] ?? ''

async function readAt(
  file: FileHandle,
  at: number,
  length: number,
  tooShort: () => Error,
): Promise<Buffer> {
  // Before the memory is taken: a length may be anything.
  if (at + length > (await file.stat()).size) throw tooShort()
  const bytes = Buffer.allocUnsafe(length)
  for (let read = 0; read < length;) {
    const { bytesRead } = await file.read(bytes, read, length - read, at + read)
    if (bytesRead === 0) throw tooShort()
    read += bytesRead
  }
  return bytes
}

/** The key that `facteur backup DIR` stores beside its backups; null where it is not there. */
export async function keyTextNextTo(path: string, fingerprint: string): Promise<string | null> {
  return readFile(join(dirname(path), keyFileNextTo(fingerprint)), 'utf8').catch(() => null)
}

/** Its name: one file for all backups under one key. */
export const keyFileNextTo = (fingerprint: string): string =>
  `master-${fingerprint.slice(0, 8)}.key`
