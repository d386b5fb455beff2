/**
 * Temporary folders of tests: in memory where there is plenty of it, for the databases of tests
 * write a lot.
 */
import {
  accessSync,
  chmodSync,
  constants,
  mkdtempSync,
  readFileSync,
  rmSync,
  statfsSync,
} from 'node:fs'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * The variable with which `test/run.ts` tells where the disk is, when temporary files are not
 * there.
 */
const DISK = 'FACTEUR_TEST_DISK'

/** Made by this process. */
const folders: string[] = []

/** Where temporary files are that stay for the next run, or must not take memory. */
export const diskFolder = (): string => process.env[DISK] ?? tmpdir()

/**
 * What the database's user can pass through, when we are root; gone when this process ends.
 * `onDisk`: files that do not take memory.
 */
export function makeTemporaryFolder(name: string, { onDisk = false } = {}): string {
  const folder = mkdtempSync(join(onDisk ? diskFolder() : tmpdir(), `facteur-test-${name}-`))
  chmodSync(folder, 0o711)
  if (folders.length === 0)
    process.on('exit', () =>
      folders.forEach((entry) => rmSync(entry, { recursive: true, force: true })),
    )
  folders.push(folder)
  return folder
}

/** In bytes; a run takes up to a quarter of it. */
const plenty = 8 * 1024 ** 3

/**
 * From now on, temporary files of this process and of those that it starts are in memory, if there
 * is plenty and nobody chose another place.
 */
export function useMemoryForTemporaryFiles(): void {
  const folder = '/dev/shm'
  if (process.env.TMPDIR !== undefined || freemem() < plenty || !isUsable(folder)) return
  process.env[DISK] = tmpdir()
  process.env.TMPDIR = folder
}

/** Programs of tests are started there, too. */
function isUsable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
    const { bavail, bsize } = statfsSync(folder)
    const mount = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .findLast((line) => line.split(' ')[1] === folder)
    return bavail * bsize >= plenty && mount !== undefined && !mount.includes('noexec')
  } catch {
    return false
  }
}
