/**
 * The location of a data folder's database, and its password: stored in the data folder, because
 * the database may have to be elsewhere.
 */
import { createHash, randomBytes } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdtempSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { isInFolder, makeFolder } from '../../ground/make-folder.ts'
import { OperatorError } from '../../ground/operator-error.ts'
import { isRecord } from '../../ground/read-json.ts'
import { livingOwner } from './data-owner.ts'
import { isOlderMajor } from './older-programs.ts'
import { POSTGRES_MAJOR, SYSTEM_FOLDER } from './postgres-binaries.ts'
import { giveTo, makeFolderFor, postgresUser, type PostgresUser } from './postgres-user.ts'

export interface PostgresLocation {
  /**
   * Holds the cluster, the log and, when its path is short enough, the socket. Belongs to the user
   * that runs PostgreSQL.
   */
  home: string
  cluster: string
  password: string
  user: PostgresUser
}

/**
 * Longest path of a socket that every platform takes: sun_path is 104 bytes on macOS, 108 on Linux.
 */
const SOCKET_PATH_MAX = 100

const SOCKET_NAME = '.s.PGSQL.5432'

/**
 * Creates the data folder, or explains in one line why it cannot be used. Other users may pass
 * through it only where PostgreSQL runs as another user.
 */
export function makeDataFolder(folder: string): void {
  try {
    makeFolder(folder, process.getuid?.() === 0 ? 0o711 : 0o700)
    const probe = join(folder, `.probe.${process.pid}`)
    writeFileSync(probe, '')
    rmSync(probe)
  } catch (error) {
    throw new OperatorError(
      `The data folder ${folder} cannot be used (${(error as NodeJS.ErrnoException).code}): set FACTEUR_DATA to a folder that you can write.`,
    )
  }
}

/**
 * The place that the data folder names; null before the first start. Throws when it is not what
 * this version can use.
 */
export function findLocation(folder: string): PostgresLocation | null {
  const location = findAnyLocation(folder)
  if (location && location.major !== POSTGRES_MAJOR) throw refusedMajor(folder, location.major)
  return location
}

/**
 * The same for a cluster of any PostgreSQL, such as one that the next start of the service moves to
 * this one.
 */
export function findAnyLocation(folder: string): (PostgresLocation & { major: string }) | null {
  const file = locationFile(folder)
  finishFirstStart(folder, file)
  if (!existsSync(file)) {
    if (!existsSync(join(folder, 'postgres', 'cluster'))) return null
    throw new OperatorError(
      `${file} is missing, and with it the password of the database beside it: put it back from a copy.`,
    )
  }
  const { home, password } = readLocation(folder, file)
  finishSwitch(home)
  const cluster = join(home, 'cluster')
  if (!existsSync(cluster)) {
    throw new OperatorError(
      `The database of ${folder} should be in ${home} and is not: put it back from a copy, or remove the data folder to start over.`,
    )
  }
  const major = readFileSync(join(cluster, 'PG_VERSION'), 'utf8').trim()
  return { home, cluster, password, user: postgresUser(cluster), major }
}

/** Whether a path lies in a data folder, or where its database is elsewhere. */
export function isInData(path: string, folder: string): boolean {
  const home = livesIn(folder)
  return isInFolder(path, folder) || (home !== null && isInFolder(path, home))
}

/** Null where no database is, or its file cannot be read. */
function livesIn(folder: string): string | null {
  try {
    return readLocation(folder, locationFile(folder)).home
  } catch {
    return null
  }
}

function refusedMajor(folder: string, major: string): OperatorError {
  const owner = livingOwner(folder)
  if (!isOlderMajor(major)) {
    const version = Number(major) > Number(POSTGRES_MAJOR) ? 'of a newer version' : 'too old'
    return new OperatorError(
      `The data in ${folder} is ${version}: PostgreSQL ${major}, and this Facteur brings ${POSTGRES_MAJOR}. Use the version of Facteur that wrote it.`,
    )
  }
  return owner?.kind === 'service' && owner.pid !== process.pid
    ? new OperatorError(
        `The service (process ${owner.pid}) is moving the data in ${folder} to PostgreSQL ${POSTGRES_MAJOR}: try again when it is ready.`,
      )
    : new OperatorError(
        `The data in ${folder} is of PostgreSQL ${major}: start the service once, which moves it to PostgreSQL ${POSTGRES_MAJOR}.`,
      )
}

/**
 * Chooses the place at the first start: in the data folder, or where the user that runs PostgreSQL
 * can get at it.
 */
export function chooseLocation(folder: string): PostgresLocation {
  const user = postgresUser(null)
  const written = passableFor(user, folder) ? 'postgres' : join(SYSTEM_FOLDER, nameFor(folder))
  const password = randomBytes(24).toString('base64url')
  writeFileSync(
    `${locationFile(folder)}.new`,
    `${JSON.stringify({ home: written, password }, null, 2)}\n`,
    { mode: 0o600 },
  )
  if (isAbsolute(written)) makeFolder(SYSTEM_FOLDER, 0o755)
  const home = resolve(folder, written)
  makeFolderFor(user, home, 0o700)
  return { home, cluster: join(home, 'cluster'), password, user }
}

/**
 * Records that the database is complete. A later start discards the files of a first start that
 * ended before this.
 */
export function confirmLocation(folder: string): void {
  renameSync(`${locationFile(folder)}.new`, locationFile(folder))
}

function finishFirstStart(folder: string, file: string): void {
  if (existsSync(file) || !existsSync(`${file}.new`)) return
  const { home } = readLocation(folder, `${file}.new`)
  if (existsSync(join(home, 'cluster'))) return confirmLocation(folder)
  rmSync(home, { recursive: true, force: true })
  rmSync(`${file}.new`)
}

/** Folders that are not in use yet have this name behind their own. */
const UNFINISHED = '.unfinished'

/**
 * Where this version's cluster is made beside an older one: in the folder `postgres-18.unfinished`
 * beside `postgres`.
 */
export function chooseLocationNextTo({ home, password, user }: PostgresLocation): PostgresLocation {
  const next = `${withoutMajor(home)}-${POSTGRES_MAJOR}`
  if (existsSync(next))
    throw new OperatorError(
      `${next} holds data of PostgreSQL ${POSTGRES_MAJOR} that is not in use, from an upgrade that was taken back: delete it, or move it elsewhere.`,
    )
  const unfinished = `${next}${UNFINISHED}`
  return { home: unfinished, cluster: join(unfinished, 'cluster'), password, user }
}

/** The name that the places of one data folder share: `postgres` of `postgres-18`. */
export const withoutMajor = (home: string): string => home.replace(/-\d\d$/, '')

/**
 * Puts a finished cluster into use. The older one is in use until the file is renamed, and the new
 * one from then on.
 */
export function switchLocation(folder: string, { home, password }: PostgresLocation): void {
  const named = home.slice(0, -UNFINISHED.length)
  const inFolder = relative(folder, named)
  const written = `${locationFile(folder)}.next`
  const location = {
    home: inFolder.startsWith('..') || isAbsolute(inFolder) ? named : inFolder,
    password,
  }
  writeFileSync(written, `${JSON.stringify(location, null, 2)}\n`, { mode: 0o600, flush: true })
  renameSync(written, locationFile(folder))
  flush(folder)
  finishSwitch(named)
}

function finishSwitch(home: string): void {
  if (existsSync(home) || !existsSync(`${home}${UNFINISHED}`)) return
  renameSync(`${home}${UNFINISHED}`, home)
  flush(dirname(home))
}

/** Has a folder's names on the disk. */
function flush(folder: string): void {
  const opened = openSync(folder, 'r')
  try {
    fsyncSync(opened)
  } finally {
    closeSync(opened)
  }
}

/** A user who can read a file in the folder can pass through all that are above it. */
function passableFor(user: PostgresUser, folder: string): boolean {
  const probe = join(folder, '.probe')
  writeFileSync(probe, '', { mode: 0o644 })
  try {
    return user.canRead(probe)
  } finally {
    rmSync(probe)
  }
}

/** One name for each data folder, and another one when the folder was removed and created again. */
function nameFor(folder: string): string {
  return `${createHash('sha256').update(realpathSync(folder)).digest('hex').slice(0, 16)}-${randomBytes(4).toString('hex')}`
}

/**
 * The socket's folder: beside the cluster, or a short one in the temporary folder that only the
 * database's user can enter.
 */
export function chooseSocketFolder({ home, user }: PostgresLocation): string {
  if (Buffer.byteLength(join(home, SOCKET_NAME)) <= SOCKET_PATH_MAX) return home
  const short = [tmpdir(), '/tmp'].find(
    (folder) =>
      Buffer.byteLength(join(folder, 'facteur-XXXXXX', SOCKET_NAME)) <= SOCKET_PATH_MAX &&
      canPass(user, folder),
  )
  if (!short)
    throw new OperatorError(
      `The path of ${home} is too long for a socket, and there is no temporary folder with a short one: set FACTEUR_DATA to a shorter path.`,
    )
  const folder = mkdtempSync(join(short, 'facteur-'))
  giveTo(user, folder)
  return folder
}

/** How clients reach it: over the socket, with the password. */
export function connectionString(
  { password }: PostgresLocation,
  socketFolder: string,
  database = 'facteur',
): string {
  return `postgres://facteur:${password}@/${database}?host=${encodeURIComponent(socketFolder)}`
}

const locationFile = (folder: string): string => join(folder, 'database.json')

const canPass = (user: PostgresUser, folder: string): boolean => user.canRead(join(folder, '.'))

function readLocation(folder: string, file: string): { home: string; password: string } {
  const read = parse(file)
  if (!isLocation(read))
    throw new OperatorError(`${file} does not name a database: put it back from a copy.`)
  return { home: resolve(folder, read.home), password: read.password }
}

function parse(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new OperatorError(`${file} cannot be read (${(error as Error).message}).`)
  }
}

const isLocation = (read: unknown): read is { home: string; password: string } =>
  isRecord(read) && typeof read.home === 'string' && typeof read.password === 'string'
