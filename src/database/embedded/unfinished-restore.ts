/**
 * A file marks a data folder whose restore did not end, so that no start takes what is left there
 * for a new installation.
 */
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from '../../ground/operator-error.ts'
import { makeDataFolder } from './postgres-location.ts'

/** Before anything is made in the folder, or loaded. */
export function markRestoreBegun(folder: string): void {
  makeDataFolder(folder)
  writeFileSync(fileOf(folder), '', { mode: 0o600, flush: true })
}

/** Once everything is loaded: a start does what is left. */
export const markRestoreLoaded = (folder: string): void => rmSync(fileOf(folder), { force: true })

/**
 * Throws `OperatorError` for a folder whose restore did not end. One that was killed right after it
 * had loaded everything left the mark and an installation: that one counts.
 */
export async function refuseUnfinishedRestore(
  folder: string,
  hasInstallation: () => Promise<boolean>,
): Promise<void> {
  if (!existsSync(fileOf(folder))) return
  if (await hasInstallation()) return markRestoreLoaded(folder)
  throw new OperatorError(
    `A restore into ${folder} did not end: give the same restore again, or empty the folder.`,
  )
}

const fileOf = (folder: string): string => join(folder, 'restore.unfinished')
