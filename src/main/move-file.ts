/**
 * The file of a data folder that says where its installation has moved to: a start without DATABASE_URL goes there. Its former
 * database is not needed any more, and can be deleted.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Config } from '../config.ts'
import { findAnyPlace } from '../embedded-postgres/postgres-location.ts'
import { OperatorError } from '../operator-error.ts'
import { isRecord, parseJson } from '../read-json.ts'
import { readMasterKey, type Secrets } from '../secrets.ts'

/** The address of a PostgreSQL, or a data folder with an embedded one. */
export type MoveTarget = { url: string } | { folder: string }

/**
 * The settings as they are where the installation is now. The master key stays in the data folder. `until`: where the move to this
 * target began, as long as its former database is there; a copy that was cut off after the switch is finished from it.
 */
export function followMove(config: Config, until: MoveTarget | null = null): Config {
  if (config.databaseUrl !== null) return config
  const target = readMove(config.dataFolder)
  if (target === null) return config
  if (isDeepStrictEqual(target, until) && hasDatabase(config.dataFolder)) return config
  if ('folder' in target) {
    if (!existsSync(target.folder))
      throw new OperatorError(`This installation has moved to ${target.folder}, which is not there: put it back from a copy.`)
    return followMove({ ...config, dataFolder: target.folder, movedFrom: config.dataFolder }, until)
  }
  return {
    ...config,
    databaseUrl: target.url,
    masterKey: config.masterKey ?? readMasterKey(config.dataFolder),
    movedFrom: config.dataFolder,
  }
}

function hasDatabase(folder: string): boolean {
  try {
    return findAnyPlace(folder) !== null
  } catch {
    return false
  }
}

/** Null: it has not moved. */
function readMove(folder: string): MoveTarget | null {
  const file = moveFile(folder)
  if (!existsSync(file)) return null
  const read = parseJson(readFileSync(file, 'utf8'))
  if (isRecord(read) && typeof read['url'] === 'string') return { url: read['url'] }
  if (isRecord(read) && typeof read['folder'] === 'string') return { folder: read['folder'] }
  throw new OperatorError(`${file} does not say where the installation has moved to: put it back from a copy.`)
}

/** Only where the start found the former database by its data folder; elsewhere DATABASE_URL has to be changed. */
export function writeMove({ databaseUrl, dataFolder, movedFrom }: Config, target: MoveTarget): void {
  const folder = databaseUrl === null ? dataFolder : movedFrom
  if (folder === undefined) return
  const unfinished = `${moveFile(folder)}.${process.pid}`
  writeFileSync(unfinished, `${JSON.stringify(target, null, 2)}\n`, { mode: 0o600, flush: true })
  renameSync(unfinished, moveFile(folder))
}

const moveFile = (folder: string): string => join(folder, 'moved.json')

const purpose = 'database copy'

/** For the processes of the service, which read it in the former database. */
export const sealTarget = (secrets: Secrets, target: MoveTarget): Buffer => secrets.seal(JSON.stringify(target), purpose)

export function openSealedTarget(secrets: Secrets, sealed: Buffer): MoveTarget {
  const target: MoveTarget = JSON.parse(secrets.open(sealed, purpose))
  return target
}
