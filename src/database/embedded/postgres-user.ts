/**
 * The system user that runs PostgreSQL: our own, or an unprivileged one, because PostgreSQL refuses
 * to run as root. A new data folder has a user of its own, where one can be had: as `nobody`, every
 * other service of that user could read the data.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { accessSync, chownSync, constants, statSync } from 'node:fs'
import { makeFolder } from '../../ground/make-folder.ts'
import { OperatorError } from '../../ground/operator-error.ts'
import { outputOf } from './read-text.ts'

export interface PostgresUser {
  /** Options for `spawn`; empty for our own user. */
  identity: { uid?: number; gid?: number }
  /**
   * Whether that user can read a file, which takes the right to pass through every folder above it.
   */
  canRead(path: string): boolean
}

/**
 * `cluster`: an existing cluster's folder, whose owner goes on running it; null at the first start.
 */
export function postgresUser(cluster: string | null): PostgresUser {
  const owner = cluster === null ? null : statSync(cluster)
  const me = process.getuid?.() ?? 0
  if (me !== 0) {
    if (owner && owner.uid !== me)
      throw new OperatorError(
        `The database in ${cluster} belongs to user ${nameOf(owner.uid)}: start Facteur as root or as that user, as before.`,
      )
    return { identity: {}, canRead: canReadOurselves }
  }
  const identity =
    owner && owner.uid !== 0
      ? { uid: owner.uid, gid: owner.gid }
      : (ownUser() ?? identityOf('nobody'))
  // PostgreSQL looks its user up, and fails on a number without a name.
  nameOf(identity.uid)
  return { identity, canRead: (path) => canReadAs(identity, path) }
}

/** Makes a folder as `makeFolder` does, and gives it to `user`. */
export function makeFolderFor(user: PostgresUser, path: string, mode: number): void {
  makeFolder(path, mode)
  giveTo(user, path)
}

export function giveTo({ identity: { uid, gid } }: PostgresUser, path: string): void {
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid)
}

/** Lets every user read the files below a folder, and run what its owner can run. */
export function makeReadable(folder: string): void {
  execFileSync('chmod', ['-R', 'a+rX', folder])
}

function canReadOurselves(path: string): boolean {
  try {
    accessSync(path, constants.R_OK)
    return true
  } catch {
    return false
  }
}

function canReadAs(identity: { uid: number; gid: number }, path: string): boolean {
  return (
    spawnSync('/bin/sh', ['-c', 'test -r "$1"', 'sh', path], {
      ...identity,
      cwd: '/',
      stdio: 'ignore',
    }).status === 0
  )
}

function nameOf(uid: number): string {
  const name = outputOf('id', ['-un', String(uid)])
  if (name !== null) return name
  throw new OperatorError(
    `PostgreSQL cannot run as user ${uid}, which has no name on this machine: start Facteur as another user, or set DATABASE_URL.`,
  )
}

const ownUserName = 'facteur-postgres'

/** A user without a home, a password or a shell. */
const addOwnUser = [
  'useradd',
  '--system',
  '--user-group',
  '--no-create-home',
  '--home-dir',
  '/',
  '--shell',
  '/usr/sbin/nologin',
]

/**
 * Makes the user where it is not there yet. Null if this system has no such command, or refuses it.
 */
function ownUser(): { uid: number; gid: number } | null {
  const [command = '', ...options] = addOwnUser
  if (outputOf('id', ['-u', ownUserName]) === null)
    spawnSync(command, [...options, ownUserName], { stdio: 'ignore' })
  // Another start may have been quicker.
  return outputOf('id', ['-u', ownUserName]) === null ? null : identityOf(ownUserName)
}

function identityOf(name: string): { uid: number; gid: number } {
  const [uid, gid] = ['-u', '-g'].map((flag) => outputOf('id', [flag, name]))
  if (uid && gid) return { uid: Number(uid), gid: Number(gid) }
  throw new OperatorError(
    `PostgreSQL does not run as root, and there is no user "${name}" here: start Facteur as another user, or set DATABASE_URL.`,
  )
}

/**
 * The line that gives the data of an existing cluster a user of its own; null where it has one, or
 * where this is not root's to change. `home` is the folder of the cluster and of what lies beside
 * it.
 */
export function lineForOwnUser({
  home,
  cluster,
}: {
  home: string
  cluster: string
}): string | null {
  if (process.getuid?.() !== 0) return null
  if (outputOf('id', ['-un', String(statSync(cluster).uid)]) !== 'nobody') return null
  return `${addOwnUser.join(' ')} ${ownUserName}; chown -R ${ownUserName}:${ownUserName} ${forShell(home)}`
}

/** A path in a line for the shell. */
function forShell(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`
}
