/** Reads the files of `migrations/`, and the release before this one. */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface Migration {
  name: string
  text: string
  hash: string
}

/** The folder of the files, in a checkout. */
export const migrationsFolder = join(
  dirname(fileURLToPath(import.meta.url)),
  '..',
  '..',
  '..',
  'migrations',
)

/**
 * The first line of a file may say that it has no transaction around its statements, and that it is
 * about global tables and functions: it is applied once then, and not in each cell.
 */
const firstLine = /^-- (outside a transaction)?(?:, )?(global tables only)?\n/

/** In the order in which they are applied. */
export function readMigrations(folder: string): Migration[] {
  return migrationNames(folder).map((name) => {
    const text = readFileSync(join(folder, name), 'utf8')
    return { name, text, hash: createHash('sha256').update(text).digest('hex') }
  })
}

export function migrationNames(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => /^\d{4}_.+\.sql$/.test(name))
    .toSorted()
}

/** The release whose processes go on while this version's files are applied. */
export interface PreviousRelease {
  /** The commit that was released. */
  commit: string
  /**
   * Its newest migration. Processes that do not know it cannot work on the database of this
   * version.
   */
  migration: string
}

/**
 * Null for a folder that names none: all its files count as known to the processes of the version
 * before.
 */
export function readPreviousRelease(folder: string): PreviousRelease | null {
  const file = join(folder, 'previous-release.json')
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as PreviousRelease) : null
}

/** Whether its statements run one by one, each a transaction of its own. */
export const isOutside = ({ text }: Migration): boolean => firstLine.exec(text)?.[1] !== undefined

/** Whether it concerns no table of the cells. */
export const isGlobal = ({ text }: Migration): boolean => firstLine.exec(text)?.[2] !== undefined
