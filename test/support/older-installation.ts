/**
 * A data folder that an older PostgreSQL wrote, as a Facteur that brought that one would have left
 * it.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../../src/ground/clock.ts'
import {
  chooseSocketFolder,
  connectionString,
  type PostgresLocation,
} from '../../src/database/embedded/postgres-location.ts'
import { makeFolderFor, postgresUser } from '../../src/database/embedded/postgres-user.ts'
import {
  findPostmaster,
  spawnPostmaster,
  stopPostmaster,
} from '../../src/database/embedded/postmaster.ts'
import { makeDatabase, waitForServer } from '../../src/database/embedded/running-server.ts'

/** The newest major of an older PostgreSQL that is installed here; null where none is. */
export const installedMajor =
  ['17', '16', '15'].find((major) => existsSync(`/usr/lib/postgresql/${major}/bin/postgres`)) ??
  null

export interface OlderInstallation {
  folder: string
  url: string
  stop(): Promise<void>
}

/**
 * Its server runs until `stop`; by then it holds what a test wrote. `programs`: the folder with
 * `bin`.
 */
export async function makeOlderInstallation(
  folder: string,
  programs: string,
): Promise<OlderInstallation> {
  const user = postgresUser(null)
  const home = join(folder, 'postgres')
  const location: PostgresLocation = {
    home,
    cluster: join(home, 'cluster'),
    password: 'of-before',
    user,
  }
  mkdirSync(folder, { mode: 0o711 })
  makeFolderFor(user, home, 0o700)
  writeFileSync(
    join(folder, 'database.json'),
    JSON.stringify({ home: 'postgres', password: location.password }),
    { mode: 0o600 },
  )
  const passwordFile = join(home, 'password')
  writeFileSync(passwordFile, location.password)
  const choices = [
    '--username=facteur',
    '--auth=scram-sha-256',
    `--pwfile=${passwordFile}`,
    '--encoding=UTF8',
    '--locale=C',
  ]
  const initdb = spawnSync(
    join(programs, 'bin', 'initdb'),
    [...choices, '--no-sync', '-D', location.cluster],
    {
      ...user.identity,
      cwd: home,
      encoding: 'utf8',
    },
  )
  if (initdb.status !== 0) throw new Error(`initdb: ${initdb.stderr}`)
  spawnPostmaster(programs, location, chooseSocketFolder(location), { durable: false })
  const running = await waitForServer(location, { clock: systemClock })
  await makeDatabase(location, running)
  return {
    ...{ folder, url: connectionString(location, running.socketFolder) },
    async stop() {
      const postmaster = findPostmaster(location)
      if (postmaster) await stopPostmaster(postmaster, systemClock, 30_000)
    },
  }
}
