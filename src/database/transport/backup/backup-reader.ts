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
  place: string
  /** The compressed bytes of a table's pieces, in their order. */
  pieces(table: string): AsyncGenerator<Buffer>
  /** The text of the master key that an archive holds. Null if it holds none. */
  keyText: string | null
  close(): Promise<void>
}

/** Throws `OperatorError` when there is no backup at the place. */
export async function openBackup(place: string): Promise<BackupReader> {
  if (!existsSync(place)) throw new OperatorError(`There is no backup ${place}.`)
  const backup = await onFiles(place, 'read', () =>
    statSync(place).isDirectory() ? openFolder(place) : openArchive(place),
  )
  return {
    ...backup,
    async *pieces(table) {
      try {
        yield* backup.pieces(table)
      } catch (error) {
        throw fileError(place, 'read', error)
      }
    },
  }
}

/** A manifest names some hundred tables, and the pieces of each. */
const manifestBytesMax = 64_000_000

async function openFolder(place: string): Promise<BackupReader> {
  const manifestPath = join(place, manifestFile)
  if (!existsSync(manifestPath))
    throw new OperatorError(
      `${place} is no backup: it has no ${manifestFile}. Name the folder of one backup, ${basename(place)}/facteur-….`,
    )
  if ((await stat(manifestPath)).size > manifestBytesMax)
    throw damaged(place, `its ${manifestFile} is too large`)
  const text = await readFile(manifestPath, 'utf8')
  const manifest = readManifest(text, place)
  return {
    manifest,
    checksum: hash('sha256', text),
    place,
    async *pieces(table) {
      const lengths = piecesOf(manifest, table)
      if (lengths.length === 0) return
      const path = join(place, tableFile(table))
      const file = await open(path).catch(() => null)
      if (!file) throw damaged(place, `${tableFile(table)} is missing`)
      try {
        let at = 0
        for (const length of lengths) {
          yield await readAt(file, at, length, () =>
            damaged(place, `${tableFile(table)} is too short`),
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

async function openArchive(place: string): Promise<BackupReader> {
  const file = await open(place)
  try {
    const entries = await listEntries(file, place)
    const read = async (name: string): Promise<Buffer | null> => {
      const entry = entries.get(name)
      return entry
        ? readAt(file, entry.at, entry.size, () => damaged(place, `${name} is too short`))
        : null
    }
    if ((entries.get(manifestFile)?.size ?? 0) > manifestBytesMax)
      throw damaged(place, `its ${manifestFile} is too large`)
    const text = (await read(manifestFile))?.toString()
    if (text === undefined)
      throw damaged(place, `it has no ${manifestFile}, so it was not written to its end`)
    const manifest = readManifest(text, place)
    return {
      manifest,
      checksum: hash('sha256', text),
      place,
      async *pieces(table) {
        for (const piece of piecesOf(manifest, table).keys()) {
          const bytes = await read(pieceFile(table, piece))
          if (!bytes) throw damaged(place, `${pieceFile(table, piece)} is missing`)
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

export const damaged = (place: string, how: string): OperatorError =>
  new OperatorError(`The backup ${place} is damaged: ${how}.`)

function piecesOf({ tables }: BackupManifest, table: string): number[] {
  return tables.find(({ name }) => name === table)?.pieces ?? []
}

/** The files of an archive by their names without the folder. */
async function listEntries(
  file: FileHandle,
  place: string,
): Promise<Map<string, { at: number; size: number }>> {
  const entries = new Map<string, { at: number; size: number }>()
  const header = Buffer.alloc(BLOCK_BYTES)
  for (let at = 0; ;) {
    const { bytesRead } = await file.read(header, 0, BLOCK_BYTES, at)
    if (bytesRead < BLOCK_BYTES || header.every((byte) => byte === 0)) return entries
    if (header.toString('latin1', 257, 262) !== 'ustar')
      throw damaged(place, 'it is no tar archive of facteur backup')
    const name = textAt(header, 0, 100)
    const size = Number.parseInt(textAt(header, 124, 12), 8)
    if (!(size >= 0)) throw damaged(place, 'it is no tar archive of facteur backup')
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
export async function keyTextNextTo(place: string, fingerprint: string): Promise<string | null> {
  return readFile(join(dirname(place), keyFileNextTo(fingerprint)), 'utf8').catch(() => null)
}

/** Its name: one file for all backups under one key. */
export const keyFileNextTo = (fingerprint: string): string =>
  `master-${fingerprint.slice(0, 8)}.key`
