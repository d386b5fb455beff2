/**
 * The location of a data folder's database, and its password: stored in the data folder, because the database may
 * have to be elsewhere.
 */
import { createHash, randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import { OperatorError } from '../operator-error.ts'
import { isRecord } from '../read-json.ts'
import { POSTGRES_MAJOR, SYSTEM_FOLDER } from './postgres-binaries.ts'
import { giveTo, makeFolder, postgresUser, type PostgresUser } from './postgres-user.ts'

export interface PostgresPlace {
  /** Holds the cluster, the log and, when its path is short enough, the socket. Belongs to the user that runs PostgreSQL. */
  home: string
  cluster: string
  password: string
  user: PostgresUser
}

/** Longest path of a socket that every platform takes: sun_path is 104 bytes on macOS, 108 on Linux. */
const SOCKET_PATH_MAX = 100

const SOCKET_NAME = '.s.PGSQL.5432'

/**
 * Creates the data folder, or explains in one line why it cannot be used. Other users may pass through it only where
 * PostgreSQL runs as another user.
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

/** The place that the data folder names; null before the first start. Throws when it is not what this version can use. */
export function findPlace(folder: string): PostgresPlace | null {
  const file = placeFile(folder)
  finishFirstStart(folder, file)
  if (!existsSync(file)) {
    if (!existsSync(join(folder, 'postgres', 'cluster'))) return null
    throw new OperatorError(`${file} is missing, and with it the password of the database beside it: put it back from a copy.`)
  }
  const { home, password } = readPlace(folder, file)
  const cluster = join(home, 'cluster')
  if (!existsSync(cluster)) {
    throw new OperatorError(
      `The database of ${folder} should be in ${home} and is not: put it back from a copy, or remove the data folder to start over.`,
    )
  }
  const version = readFileSync(join(cluster, 'PG_VERSION'), 'utf8').trim()
  if (version !== POSTGRES_MAJOR) {
    const newer = Number(version) > Number(POSTGRES_MAJOR) ? 'of a newer version: ' : ''
    throw new OperatorError(
      `The data in ${folder} is ${newer}PostgreSQL ${version}, and this Facteur brings ${POSTGRES_MAJOR}. Use the version of Facteur that wrote it.`,
    )
  }
  return { home, cluster, password, user: postgresUser(cluster) }
}

/** Chooses the place at the first start: in the data folder, or where the user that runs PostgreSQL can get at it. */
export function choosePlace(folder: string): PostgresPlace {
  const user = postgresUser(null)
  const written = passableFor(user, folder) ? 'postgres' : join(SYSTEM_FOLDER, nameFor(folder))
  const password = randomBytes(24).toString('base64url')
  writeFileSync(`${placeFile(folder)}.new`, `${JSON.stringify({ home: written, password }, null, 2)}\n`, { mode: 0o600 })
  if (isAbsolute(written)) makeFolder(SYSTEM_FOLDER, 0o755)
  const home = resolve(folder, written)
  makeFolder(home, 0o700, user)
  return { home, cluster: join(home, 'cluster'), password, user }
}

/** Records that the database is complete. A later start discards the files of a first start that ended before this. */
export function confirmPlace(folder: string): void {
  renameSync(`${placeFile(folder)}.new`, placeFile(folder))
}

function finishFirstStart(folder: string, file: string): void {
  if (existsSync(file) || !existsSync(`${file}.new`)) return
  const { home } = readPlace(folder, `${file}.new`)
  if (existsSync(join(home, 'cluster'))) return confirmPlace(folder)
  rmSync(home, { recursive: true, force: true })
  rmSync(`${file}.new`)
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

/** The socket's folder: beside the cluster, or a short one in the temporary folder that only the database's user can enter. */
export function chooseSocketFolder({ home, user }: PostgresPlace): string {
  if (Buffer.byteLength(join(home, SOCKET_NAME)) <= SOCKET_PATH_MAX) return home
  const short = [tmpdir(), '/tmp'].find(
    (folder) => Buffer.byteLength(join(folder, 'facteur-XXXXXX', SOCKET_NAME)) <= SOCKET_PATH_MAX && canPass(user, folder),
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
export function connectionString({ password }: PostgresPlace, socketFolder: string, database = 'facteur'): string {
  return `postgres://facteur:${password}@/${database}?host=${encodeURIComponent(socketFolder)}`
}

const placeFile = (folder: string): string => join(folder, 'database.json')

const canPass = (user: PostgresUser, folder: string): boolean => user.canRead(join(folder, '.'))

function readPlace(folder: string, file: string): { home: string; password: string } {
  const read = parse(file)
  if (!isPlace(read)) throw new OperatorError(`${file} does not name a database: put it back from a copy.`)
  return { home: resolve(folder, read.home), password: read.password }
}

function parse(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new OperatorError(`${file} cannot be read (${(error as Error).message}).`)
  }
}

const isPlace = (read: unknown): read is { home: string; password: string } =>
  isRecord(read) && typeof read.home === 'string' && typeof read.password === 'string'
