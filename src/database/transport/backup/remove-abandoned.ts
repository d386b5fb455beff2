/**
 * Removes what killed backups and verifications left in a folder; those that go on are left alone.
 */
import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isScratchName, removeScratch } from './scratch-folder.ts'

const unfinishedName = /^facteur-\d{8}T\d{6}Z\.unfinished$/
/** Work that goes on changes a file of its folder far more often. */
const abandonedMs = 24 * 3_600_000

/**
 * Removes what abandoned backups left in the folder. `current` is a path in it that was made just
 * now, so that the clock of its disk decides. Files that cannot be removed stay.
 */
export function removeAbandoned(folder: string, current: string): void {
  const nowMs = statSync(current).mtimeMs
  for (const name of namesIn(folder)) {
    const path = join(folder, name)
    const isOurs = unfinishedName.test(name) || isScratchName(name)
    try {
      if (!isOurs || changedAtMs(path) > nowMs - abandonedMs) continue
      if (isScratchName(name)) removeScratch(path)
      else rmSync(path, { recursive: true, force: true })
    } catch {
      continue
    }
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

const changedAtMs = (path: string): number =>
  Math.max(
    statSync(path).mtimeMs,
    ...readdirSync(path).map((name) => statSync(join(path, name)).mtimeMs),
  )
