/**
 * Gives a data folder to one living process at a time, by a file; the next start recognises the
 * file that a crash left.
 */
import { linkSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isRecord, parseJson } from '../../ground/read-json.ts'
import { processStamp } from './process-stamp.ts'
import { textOfFile } from './read-text.ts'

/** A service stays; a command is over in moments, so others wait for it. */
export type OwnerKind = 'service' | 'command'

export interface Owner {
  pid: number
  stamp: string
  kind: OwnerKind
}

/** Takes the folder for this process, or reports which living process has it. */
export function takeFolder(
  folder: string,
  kind: OwnerKind,
): { taken: true; release: () => void } | { taken: false; owner: Owner } {
  const file = ownerFile(folder)
  const mine = `${file}.${process.pid}`
  const me: Owner = { pid: process.pid, stamp: processStamp(process.pid) ?? '', kind }
  writeFileSync(mine, JSON.stringify(me), { mode: 0o600 })
  try {
    for (;;) {
      // A link is made whole or not at all, so two starts cannot both succeed.
      if (tryLink(mine, file)) return { taken: true, release: () => release(file, me) }
      const owner = livingOwner(folder)
      if (owner) return { taken: false, owner }
      setAside(file, folder)
    }
  } finally {
    rmSync(mine, { force: true })
  }
}

/** The living process that has the folder; null when there is none, whatever a crashed one left. */
export const livingOwner = (folder: string): Owner | null => livingIn(ownerFile(folder))

function livingIn(file: string): Owner | null {
  const owner = readOwner(file)
  return owner && processStamp(owner.pid) === owner.stamp ? owner : null
}

const ownerFile = (folder: string): string => join(folder, 'owner.json')

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/**
 * Removes a dead owner's file; when another start was quicker and the file is a living one's by
 * now, it is put back.
 */
function setAside(file: string, folder: string): void {
  const aside = join(folder, `owner.json.dead.${process.pid}`)
  try {
    renameSync(file, aside)
  } catch {
    return
  }
  if (livingIn(aside)) tryLink(aside, file)
  rmSync(aside, { force: true })
}

function release(file: string, me: Owner): void {
  const owner = readOwner(file)
  if (owner?.pid === me.pid && owner.stamp === me.stamp) rmSync(file, { force: true })
}

function readOwner(file: string): Owner | null {
  const read = parseJson(textOfFile(file) ?? '')
  return isOwner(read) ? read : null
}

const isOwner = (read: unknown): read is Owner =>
  isRecord(read) && typeof read.pid === 'number' && 'stamp' in read && 'kind' in read
