/**
 * The manifest of a backup: what it holds, from when and of which version, and the digests that
 * prove it whole.
 */
import { withoutDetached } from '../table-shapes.ts'
import { isRecord, parseJson } from '../../../ground/read-json.ts'
import { OperatorError } from '../../../ground/operator-error.ts'

export interface BackupManifest {
  /** The format of the files. */
  format: 1
  /** The name of the backup, such as `facteur-20261123T051553Z`. */
  name: string
  /** Version of Facteur and of PostgreSQL that wrote it. */
  facteur: string
  postgres: string
  /** The moment that the backup shows, ISO 8601. */
  takenAt: string
  /** The schedule of the installation made it, and removes it when enough newer ones are there. */
  scheduled?: true
  /** Names the master key that opens the secrets in it, without revealing it. */
  keyFingerprint: string
  /** Applied migrations, in their order. */
  migrations: { name: string; hash: string }[]
  /** In an order in which foreign keys hold. */
  tables: BackedUpTable[]
  /** Of tables by time, but for the default ones: `bound` is PostgreSQL's own text. */
  partitions: { table: string; name: string; bound: string }[]
  sequences: { name: string; value: number; isCalled: boolean }[]
}

export interface BackedUpTable {
  name: string
  columns: string[]
  rows: number
  /** Of all rows, in any order (`row-digest.ts`). */
  digest: string
  /** Bytes of COPY's binary format, before compression. */
  bytes: number
  /** Compressed bytes of each piece, in their order, and the SHA-256 of all of them. */
  pieces: number[]
  sha256: string
}

/** Compressed bytes of tables. */
export const bytesOfPieces = (tables: readonly Pick<BackedUpTable, 'pieces'>[]): number =>
  tables.reduce((sum, { pieces }) => sum + pieces.reduce((total, piece) => total + piece, 0), 0)

export const manifestFile = 'manifest.json'
export const keyFile = 'master.key'

/** The pieces of a table, as a folder stores them in one file. */
export const tableFile = (table: string): string => `${table}.copy.zst`

/** One piece of a table, as an archive stores it; `piece` counts from 0. */
export const pieceFile = (table: string, piece: number): string =>
  `${table}.${String(piece + 1).padStart(6, '0')}.copy.zst`

/** Throws `OperatorError` for a text that is no manifest, or one of a later format. */
export function readManifest(text: string, path: string): BackupManifest {
  const read = parseJson(text)
  if (isManifest(read)) return { ...read, tables: withoutDetached(read.tables) }
  const isLater = isRecord(read) && typeof read['format'] === 'number' && read['format'] > 1
  throw new OperatorError(
    isLater
      ? `${path} is a backup of a newer version of Facteur: use that version.`
      : `${path} has no manifest that can be read: it is no backup, or is damaged.`,
  )
}

/**
 * A manifest may come from anybody. Its names become parts of statements and paths, its numbers
 * lengths that are read, and its texts lines of the terminal: each is checked here, so that nothing
 * else meets another value.
 */
function isManifest(read: unknown): read is BackupManifest {
  if (!isRecord(read) || read['format'] !== 1) return false
  const { tables, sequences, partitions, migrations } = read
  const texts = ['name', 'facteur', 'postgres', 'takenAt', 'keyFingerprint']
  return (
    texts.every((key) => isLine(read[key])) &&
    !Number.isNaN(Date.parse(String(read['takenAt']))) &&
    Array.isArray(tables) &&
    tables.every(isTable) &&
    new Set(tables.map(({ name }) => name)).size === tables.length &&
    Array.isArray(partitions) &&
    partitions.every(isPartition) &&
    Array.isArray(sequences) &&
    sequences.every(
      (each) =>
        isRecord(each) &&
        isName(each['name']) &&
        Number.isSafeInteger(each['value']) &&
        typeof each['isCalled'] === 'boolean',
    ) &&
    Array.isArray(migrations) &&
    migrations.every((each) => isRecord(each) && isLine(each['name']) && isLine(each['hash']))
  )
}

const isTable = (read: unknown): boolean =>
  isRecord(read) &&
  isName(read['name']) &&
  Array.isArray(read['columns']) &&
  read['columns'].every(isName) &&
  Array.isArray(read['pieces']) &&
  read['pieces'].every(isCount) &&
  ['rows', 'bytes'].every((key) => isCount(read[key])) &&
  ['digest', 'sha256'].every((key) => isLine(read[key]))

const isPartition = (read: unknown): boolean =>
  isRecord(read) &&
  isName(read['table']) &&
  isName(read['name']) &&
  typeof read['bound'] === 'string' &&
  /^FOR VALUES FROM \((?:'[0-9a-f :.+-]{1,40}'|MINVALUE)\) TO \('[0-9a-f :.+-]{1,40}'\)$/.test(
    read['bound'],
  )

/** PostgreSQL cuts longer names. */
const isName = (text: unknown): boolean =>
  typeof text === 'string' && /^[a-z_][a-z0-9_]{0,62}$/.test(text)

const isCount = (read: unknown): boolean => Number.isSafeInteger(read) && Number(read) >= 0

/** Printable, of one line. */
const isLine = (read: unknown): boolean =>
  typeof read === 'string' && /^[\w .,:;()+~/-]{0,200}$/.test(read)
