/**
 * Finds the data that moves to a newer PostgreSQL left behind, in folders beside the one in use.
 */
import { readdirSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { findAnyLocation, withoutMajor } from './postgres-location.ts'
import { textOfFile } from './read-text.ts'

export interface OlderData {
  folder: string
  major: string
  bytes: number
}

export function olderData(dataFolder: string): OlderData[] {
  const used = findAnyLocation(dataFolder)
  if (!used) return []
  const parent = dirname(used.home)
  const beside = readdirSync(parent).filter(
    (name) => withoutMajor(name) === withoutMajor(basename(used.home)),
  )
  return beside.flatMap((name) => {
    const folder = join(parent, name)
    const major = textOfFile(join(folder, 'cluster', 'PG_VERSION'))?.trim()
    const isOlder = major !== undefined && Number(major) < Number(used.major)
    return isOlder ? [{ folder, major, bytes: bytesBelow(folder) }] : []
  })
}

/** The sizes of all files below a folder; files that go away meanwhile count nothing. */
export function bytesBelow(folder: string): number {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return files.reduce(
    (sum, name) => sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0),
    0,
  )
}
