/**
 * A primary and a standby on two ports of this machine, each a PostgreSQL with nobody who looks
 * after it: a test kills or freezes the primary, promotes the standby by hand, and makes a new
 * standby in the place of the former primary.
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { postgresBinaries } from '../../src/database/embedded/postgres-binaries.ts'
import { postgresUser } from '../../src/database/embedded/postgres-user.ts'
import { runOn } from './database.ts'
import { restartPort } from './fault-port.ts'
import { prepareDatabase } from './postgres.ts'
import { makeTemporaryFolder } from './temporary-folder.ts'
import { signalPostgres } from './signal-postgres.ts'
import { until } from './until.ts'

export interface ReplicatedPostgres {
  /** Names both servers. */
  url: string
  primary(): PostgresServer
  standby(): PostgresServer
  /**
   * The standby takes over; answers the former primary, dead or alive. Who wants no split brain has
   * ended that one.
   */
  promote(): Promise<PostgresServer>
  /** Makes a standby of the present primary in the place of the former one, which is gone then. */
  replaceFormer(): Promise<void>
}

export interface PostgresServer {
  /** Names this server alone. */
  url: string
  /** As its operator; without a time limit. */
  ask(statement: string): Promise<Record<string, unknown>>
  /** To all its processes. */
  signal(name: NodeJS.Signals): void
  /** SIGKILL, and waits for the end. */
  kill(): Promise<void>
}

/**
 * An empty migrated database. `synchronous`: a commit waits until the standby has it on its disk.
 */
export async function startReplicated(
  scope: { after(end: () => Promise<void>): void },
  { synchronous }: { synchronous: boolean },
): Promise<ReplicatedPostgres> {
  const home = makeTemporaryFolder('replicated')
  const places = await Promise.all(
    ['first', 'second'].map(async (name) => ({
      folder: join(home, name),
      port: await restartPort(),
    })),
  )
  const [first, second] = places.map((location) => createServer(location))
  if (!first || !second) throw new Error('There are two')
  scope.after(async () => void (await Promise.all([first.kill(), second.kill()])))
  let [primary, standby] = [first, second]
  const follow = async (): Promise<void> => {
    await standby.copyFrom(primary)
    await standby.start()
    if (synchronous) {
      await primary.ask(`alter system set synchronous_standby_names = '*'`)
      await primary.ask('select pg_reload_conf()')
    }
    const state = synchronous ? 'sync' : 'async'
    const following = `select 1 as one from pg_stat_replication where state = 'streaming' and sync_state = '${state}'`
    await until(async () => (await primary.ask(following))['one'])
  }
  first.init()
  await first.start()
  await first.ask('create role facteur login')
  await first.ask('create database facteur owner facteur')
  await prepareDatabase(first.url)
  await follow()
  return {
    url: `postgres://facteur@${places.map(({ port }) => `127.0.0.1:${port}`).join(',')}/facteur?target_session_attrs=read-write`,
    primary: () => primary,
    standby: () => standby,
    async promote() {
      await standby.ask('select pg_promote()')
      ;[primary, standby] = [standby, primary]
      return standby
    },
    async replaceFormer() {
      await standby.kill()
      await follow()
    },
  }
}

function createServer({ folder, port }: { folder: string; port: number }) {
  const { identity, ...user } = postgresUser(null)
  const programs = join(postgresBinaries({ identity, ...user }), 'bin')
  const options = {
    ...identity,
    cwd: '/',
    stdio: 'ignore' as const,
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
  }
  let server: ChildProcess | null = null
  const address = (role: string, database: string): string =>
    `postgres://${role}@127.0.0.1:${port}/${database}`
  const ask = async (statement: string): Promise<Record<string, unknown>> =>
    (await runOn(address('postgres', 'postgres'), statement)).rows[0] ?? {}
  const giveTo = (path: string): void => {
    if (identity.uid !== undefined) chownSync(path, identity.uid, identity.gid ?? 0)
  }
  return {
    url: address('facteur', 'facteur'),
    ask,
    signal: (name: NodeJS.Signals) => signalPostgres(server?.pid ?? 0, name),
    async kill() {
      if (server === null || server.exitCode !== null || server.signalCode !== null) return
      const ended = once(server, 'exit')
      signalPostgres(server.pid ?? 0, 'SIGKILL')
      await ended
    },
    init() {
      mkdirSync(folder, { mode: 0o700 })
      giveTo(folder)
      const how = ['--auth=trust', '-E', 'UTF8', '--locale=C', '--no-sync']
      execFileSync(join(programs, 'initdb'), ['-D', folder, '-U', 'postgres', ...how], options)
    },
    async start() {
      const settings = Object.entries({ ...settingsOfServer, port }).flatMap(([name, value]) => [
        '-c',
        `${name}=${value}`,
      ])
      server = spawn(join(programs, 'postgres'), ['-D', folder, ...settings], options)
      await until(() => ask('select 1').catch(() => null))
    },
    /** As pg_basebackup does, which does not come with the programs (PostgreSQL, 25.3.4). */
    async copyFrom(other: { folder: string; port: number }) {
      rmSync(folder, { recursive: true, force: true })
      mkdirSync(folder, { mode: 0o700 })
      giveTo(folder)
      const client = new pg.Client({
        connectionString: `postgres://postgres@127.0.0.1:${other.port}/postgres`,
      })
      await client.connect()
      await client.query(`select pg_backup_start('standby', true)`)
      const files = readdirSync(other.folder).filter(
        (name) => !/^postmaster\.|^postgresql\.auto\.conf$/.test(name),
      )
      execFileSync('cp', ['-a', ...files.map((name) => join(other.folder, name)), folder])
      const { rows } = await client.query<{ label: string }>(
        'select labelfile as label from pg_backup_stop(false)',
      )
      await client.end()
      const written = {
        backup_label: rows[0]?.label ?? '',
        'standby.signal': '',
        'postgresql.auto.conf': `primary_conninfo = 'host=127.0.0.1 port=${other.port} user=postgres'\n`,
      }
      for (const [name, text] of Object.entries(written)) {
        writeFileSync(join(folder, name), text)
        giveTo(join(folder, name))
      }
      if (!existsSync(join(folder, 'PG_VERSION'))) throw new Error('The copy is not complete')
    },
    ...{ folder, port },
  }
}

/**
 * Nothing of the log is removed that a copy may still need, and a crash is one of the process, not
 * of the machine.
 */
const settingsOfServer = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  fsync: 'off',
  full_page_writes: 'off',
  autovacuum: 'off',
  checkpoint_timeout: '1h',
  // What a commit did not wait for is not saved by the log's writer a moment before.
  wal_writer_delay: '10s',
  wal_keep_size: '1GB',
  max_wal_size: '2GB',
  wal_receiver_timeout: '2s',
}
