/** The folder of a scratch database, in which a backup is verified. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { findLocation } from '../../embedded/postgres-location.ts'
import { OperatorError } from '../../../ground/operator-error.ts'

/** Where one may be: beside the backup, or in the temporary folder where that cannot be written. */
export const scratchParents = (path: string): string[] => [dirname(path), tmpdir()]

const prefix = '.facteur-verify-'

export const isScratchName = (name: string): boolean => name.startsWith(prefix)

export function makeScratchFolder(path: string): string {
  for (const parent of scratchParents(path)) {
    try {
      const folder = mkdtempSync(join(parent, prefix))
      // Where we are root, PostgreSQL is another user and passes through.
      if (process.getuid?.() === 0) chmodSync(folder, 0o711)
      return folder
    } catch {
      continue
    }
  }
  throw new OperatorError(
    `Neither ${dirname(path)} nor ${tmpdir()} can be written: a backup is verified in a folder of its own.`,
  )
}

/** Its database may be elsewhere, where PostgreSQL's user cannot pass through the folder. */
export function removeScratch(folder: string): void {
  const home = findLocation(folder)?.home
  if (home) rmSync(home, { recursive: true, force: true })
  rmSync(folder, { recursive: true, force: true })
}
