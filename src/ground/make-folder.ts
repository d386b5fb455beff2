/** Makes the folders that a user names. */
import { chmodSync, mkdirSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'

/**
 * Makes a folder and those above it, one by one; a new one gets `mode` whatever the umask. Node's
 * own recursion never ends where the file system answers ENOENT for a folder that it cannot make,
 * as below /proc. Answers whether it is new.
 */
export function makeFolder(path: string, mode: number): boolean {
  const isNew = makeEach(path, mode)
  if (isNew) chmodSync(path, mode)
  return isNew
}

function makeEach(path: string, mode: number): boolean {
  if (isFolder(path)) return false
  try {
    mkdirSync(path, { mode })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // Another process was quicker.
    if (code === 'EEXIST' && isFolder(path)) return false
    if (code !== 'ENOENT' || dirname(path) === path) throw error
    makeEach(dirname(path), mode)
    mkdirSync(path, { mode })
  }
  return true
}

const isFolder = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

/**
 * Whether a folder is another one or lies in it, whatever links lead there. Neither needs to exist.
 */
export function isInFolder(inner: string, outer: string): boolean {
  const way = relative(realFolder(outer), realFolder(inner))
  return way !== '..' && !way.startsWith('../')
}

function realFolder(path: string): string {
  const whole = resolve(path)
  try {
    return realpathSync(whole)
  } catch {
    return dirname(whole) === whole ? whole : join(realFolder(dirname(whole)), basename(whole))
  }
}
