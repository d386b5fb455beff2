/**
 * The file of a data folder that says where its installation has moved to: a start without
 * DATABASE_URL goes there. Its former database is not needed any more, and can be deleted.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Config } from '../ground/config.ts'
import { findAnyLocation } from '../database/embedded/postgres-location.ts'
import { OperatorError } from '../ground/operator-error.ts'
import { isRecord, parseJson } from '../ground/read-json.ts'
import { readMasterKey, type Secrets } from '../ground/secrets.ts'

/** The address of a PostgreSQL, or a data folder with an embedded one. */
export type MoveTarget = { url: string } | { folder: string }

/**
 * The settings as they are where the installation is now. The master key stays in the data folder.
 * `until`: where the move to this target began, as long as its former database is there; a copy
 * that was cut off after the switch is finished from it.
 */
export function followMove(config: Config, until: MoveTarget | null = null): Config {
  if (config.databaseUrl !== null) return config
  const move = readMove(config.dataFolder)
  if (move === null) return config
  const { target, from } = move
  if (isDeepStrictEqual(target, until)) {
    if (from !== null) return afterMove(config, { url: from })
    if (hasDatabase(config.dataFolder)) return config
  }
  if ('folder' in target && !existsSync(target.folder))
    throw new OperatorError(
      `This installation has moved to ${target.folder}, which is not there: put it back from a copy.`,
    )
  return followMove(afterMove(config, target), until)
}

/** The settings of a process whose installation has moved there from where these say. */
export function afterMove(config: Config, target: MoveTarget): Config {
  const { databaseUrl, dataFolder, masterKey } = config
  const next = { ...config, ...(databaseUrl === null && { movedFrom: dataFolder }) }
  return 'folder' in target
    ? { ...next, databaseUrl: null, dataFolder: target.folder }
    : { ...next, databaseUrl: target.url, masterKey: masterKey ?? readMasterKey(dataFolder) }
}

function hasDatabase(folder: string): boolean {
  try {
    return findAnyLocation(folder) !== null
  } catch {
    return false
  }
}

/**
 * Null if it has not moved. `from`: the address of the former database, where that was none of the
 * data folder's own.
 */
function readMove(folder: string): { target: MoveTarget; from: string | null } | null {
  const file = moveFile(folder)
  if (!existsSync(file)) return null
  const read = parseJson(readFileSync(file, 'utf8'))
  const from = isRecord(read) && typeof read['from'] === 'string' ? read['from'] : null
  if (isRecord(read) && typeof read['url'] === 'string')
    return { target: { url: read['url'] }, from }
  if (isRecord(read) && typeof read['folder'] === 'string')
    return { target: { folder: read['folder'] }, from }
  throw new OperatorError(
    `${file} does not say where the installation has moved to: put it back from a copy.`,
  )
}

/**
 * Only where the start found the former database by its data folder; elsewhere DATABASE_URL has to
 * be changed.
 */
export function writeMove(
  { databaseUrl, dataFolder, movedFrom }: Config,
  target: MoveTarget,
): void {
  const folder = databaseUrl === null ? dataFolder : movedFrom
  if (folder === undefined) return
  const move = { ...target, ...(databaseUrl !== null && { from: databaseUrl }) }
  const unfinished = `${moveFile(folder)}.${process.pid}`
  writeFileSync(unfinished, `${JSON.stringify(move, null, 2)}\n`, { mode: 0o600, flush: true })
  renameSync(unfinished, moveFile(folder))
}

const moveFile = (folder: string): string => join(folder, 'moved.json')

const purpose = 'database copy'

/** For the processes of the service, which read it in the former database. */
export const sealTarget = (secrets: Secrets, target: MoveTarget): Buffer =>
  secrets.seal(JSON.stringify(target), purpose)

export function openSealedTarget(secrets: Secrets, sealed: Buffer): MoveTarget {
  const target: MoveTarget = JSON.parse(secrets.open(sealed, purpose))
  return target
}
