/**
 * A PostgreSQL of the system's packages, of another major version than the embedded one: where
 * Debian's is installed.
 */
import { execFileSync, spawn } from 'node:child_process'
import { chownSync, existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { processStamp } from '../../src/database/embedded/process-stamp.ts'
import { postgresUser } from '../../src/database/embedded/postgres-user.ts'
import { runOn } from './database.ts'
import { makeTemporaryFolder } from './temporary-folder.ts'
import { until } from './until.ts'

const packages = '/usr/lib/postgresql'

/**
 * The folder of its programs. Null if it is not installed. The installed one with the highest
 * number that the embedded one has not.
 */
const programs = (existsSync(packages) ? readdirSync(packages) : [])
  .filter(
    (major) =>
      Number(major) >= 15 && major !== '18' && existsSync(join(packages, major, 'bin', 'initdb')),
  )
  .toSorted((a, b) => Number(b) - Number(a))
  .map((major) => join(packages, major, 'bin'))
  .at(0)

export const whyNoOtherPostgres =
  programs === undefined
    ? 'no PostgreSQL 15 to 17 is installed (Debian: apt-get install postgresql-15)'
    : false

export interface OtherPostgres {
  url: string
  /**
   * Stops the server, and starts it as a replica that takes over, or a base backup of it up to a
   * point in time: on a new timeline.
   */
  promoteAs(what: 'replica' | 'recovery'): Promise<void>
}

/** An empty database of such a server, by a role that owns it and has no further rights. */
export async function startOtherPostgres(scope: {
  after(end: () => Promise<void>): void
}): Promise<OtherPostgres> {
  if (programs === undefined) throw new Error('It is not installed')
  const user = postgresUser(null)
  const home = makeTemporaryFolder('other-postgres')
  const giveTo = (path: string): void => {
    if (user.identity.uid !== undefined) chownSync(path, user.identity.uid, user.identity.gid ?? 0)
  }
  giveTo(home)
  let cluster = join(home, 'cluster')
  const options = {
    ...user.identity,
    cwd: '/',
    stdio: 'ignore' as const,
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
  }
  execFileSync(
    join(programs, 'initdb'),
    ['-D', cluster, '-U', 'postgres', '--auth=trust', '-E', 'UTF8', '--locale=C', '--no-sync'],
    options,
  )
  const settings = [
    'listen_addresses=',
    `unix_socket_directories=${home}`,
    'fsync=off',
    'full_page_writes=off',
  ]
  const start = (more: string[] = []): (() => Promise<void>) => {
    const flags = [...settings, ...more].flatMap((setting) => ['-c', setting])
    const server = spawn(join(programs, 'postgres'), ['-D', cluster, ...flags], options)
    const { pid = 0 } = server
    const stamp = processStamp(pid)
    return async () => {
      server.kill('SIGINT')
      await until(() => processStamp(pid) !== stamp)
    }
  }
  let stop = start()
  scope.after(() => stop())
  const at = (role: string, database: string): string =>
    `postgres://${role}@/${database}?host=${encodeURIComponent(home)}`
  await until(() =>
    runOn(at('postgres', 'postgres'), 'create role facteur login').catch(() => null),
  )
  await runOn(at('postgres', 'postgres'), 'create database facteur owner facteur')
  const admin = at('postgres', 'postgres')
  const ask = (statement: string): Promise<unknown> =>
    runOn(admin, statement).then(
      ({ rows }) => rows[0] ?? true,
      () => null,
    )
  return {
    url: at('facteur', 'facteur'),
    async promoteAs(what) {
      if (what === 'recovery') {
        const copy = join(home, 'recovered')
        execFileSync(
          join(programs, 'pg_basebackup'),
          ['-h', home, '-U', 'postgres', '-D', copy, '-c', 'fast', '--no-sync'],
          options,
        )
        cluster = copy
      }
      await stop()
      const signal = join(cluster, what === 'replica' ? 'standby.signal' : 'recovery.signal')
      writeFileSync(signal, '')
      giveTo(signal)
      stop = start(
        what === 'replica'
          ? []
          : [
              'restore_command=false',
              'recovery_target=immediate',
              'recovery_target_action=promote',
            ],
      )
      if (what === 'replica') await until(() => ask('select pg_promote()'))
      await until(() => ask('create temporary table written ()'))
      // It writes the new timeline into the control file.
      await runOn(admin, 'checkpoint')
    },
  }
}
