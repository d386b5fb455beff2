/**
 * The host of the database: a PostgreSQL on a small disk of its own, which is started again
 * whenever it ends, as systemd does. A test kills it, freezes it, fills its disk and takes its
 * connections.
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { postgresBinaries } from '../../src/database/embedded/postgres-binaries.ts'
import { runOn } from '../support/database.ts'
import { rest } from '../support/fault-calls.ts'
import { noteClaims } from '../support/claim-notes.ts'
import { prepareDatabase } from '../support/postgres.ts'
import { signalPostgres } from '../support/signal-postgres.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'
import { asDatabaseUser } from './namespaces.ts'
import { addressOfHost, counted, on, type Heal } from './network.ts'

export interface HostPostgres {
  url: string
  /** As the superuser, who has connections left where others have none. */
  adminUrl: string
  /** SIGKILL to all its processes, as if the machine lost its power. */
  kill(): void
  /** SIGKILL to one process that serves a connection: PostgreSQL ends all others and recovers. */
  killBackend(): Promise<void>
  freeze(): Heal
  /** Ends the connections of the service, as a failover or an administrator does. */
  terminateBackends(): Promise<void>
  /**
   * Another program ends the connections of the service and takes all that are free, until the
   * fault ends.
   */
  takeConnections(): Promise<() => Promise<void>>
  /** Leaves no byte free. */
  fillDisk(): Heal
  /** Until it answers, with all faults ended. */
  answers(): Promise<void>
  /** For good. */
  stop(): Promise<void>
}

/** The variable that names the folder of a cluster which was made before. */
export const HOSTS_CLUSTER = 'FACTEUR_TEST_HOSTS_CLUSTER'

const port = 5432
const addressAs = (role: string, database = 'facteur'): string =>
  `postgres://${role}@${addressOfHost('database')}:${port}/${database}`

/**
 * Enough for the service's three processes (15 connections each), for those of one that vanished,
 * and for the test.
 */
const connectionsMax = 90

const settings = Object.entries({
  listen_addresses: addressOfHost('database'),
  unix_socket_directories: '',
  port,
  max_connections: connectionsMax,
  superuser_reserved_connections: 8,
  shared_buffers: '32MB',
  // What is written is on a disk in memory: a crash here is one of the processes.
  fsync: 'off',
  full_page_writes: 'off',
  // A commit that did not wait for the log would be lost with the database, and not saved by the
  // log's writer a moment before.
  wal_writer_delay: '10s',
  autovacuum: 'off',
  min_wal_size: '2MB',
  max_wal_size: '16MB',
}).flatMap(([name, value]) => ['-c', `${name}=${value}`])

/** Room for what a world writes; the rest is filled and freed. */
const diskMb = 400

/**
 * Starts a copy of a cluster of `makeCluster` on the database's host. Leaves nothing behind when it
 * throws.
 */
export async function startHostPostgres(cluster: string): Promise<HostPostgres> {
  if (!existsSync(join(cluster, 'PG_VERSION')))
    throw new Error(`${HOSTS_CLUSTER}: ${cluster} is no folder of a cluster`)
  const disk = makeTemporaryFolder('disk')
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${diskMb}m,mode=755`, 'tmpfs', disk])
  const folder = join(disk, 'cluster')
  execFileSync('cp', ['-a', cluster, folder])
  const server = keepRunning(folder)
  const admin = addressAs('postgres')
  const stop = async (): Promise<void> => {
    await server.stop()
    execFileSync('umount', ['--lazy', disk])
  }
  await server.answers().catch(async (error: unknown) => {
    await stop()
    throw error
  })
  return {
    url: addressAs('facteur'),
    adminUrl: admin,
    kill: () => server.signal('SIGKILL'),
    async killBackend() {
      const ours = `select pid from pg_stat_activity where usename = 'facteur' order by pid limit 1`
      const [backend] = (await runOn(admin, ours).catch(notNow)).rows
      if (backend) killIfThere(Number(backend.pid))
    },
    freeze: () =>
      counted('database frozen', {
        begin: () => server.signal('SIGSTOP'),
        end: () => server.signal('SIGCONT'),
      }),
    async terminateBackends() {
      await runOn(admin, terminateOurs).catch(notNow)
    },
    takeConnections: () => takeConnections(admin),
    fillDisk: () => fill(join(disk, `filler-${fillers++}`)),
    answers: server.answers,
    stop,
  }
}

let fillers = 0

/** Its connection may have ended since it was named. */
function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

/** Another fault has taken the database away, and with it what this one would end. */
const notNow = (): { rows: Record<string, unknown>[] } => ({ rows: [] })

const terminateOurs = `select pg_terminate_backend(pid) from pg_stat_activity where usename = 'facteur'`

/** A cluster that only its own host can reach, with our schema: worlds copy its folder. */
export async function makeCluster(folder: string): Promise<void> {
  const how = ['--auth=trust', '-E', 'UTF8', '--locale=C', '--no-sync', '--wal-segsize=1']
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const [file = '', ...args] = [
    ...asDatabaseUser,
    programOf('initdb'),
    '-D',
    folder,
    '-U',
    'postgres',
    ...how,
  ]
  execFileSync(file, args, { stdio: ['ignore', 'ignore', 'inherit'], env: environment })
  appendFileSync(join(folder, 'pg_hba.conf'), 'host all all 10.77.0.0/16 trust\n')
  const server = keepRunning(folder)
  await server.answers()
  await runOn(addressAs('postgres', 'postgres'), 'create role facteur login')
  await runOn(addressAs('postgres', 'postgres'), 'create role stranger login')
  await runOn(addressAs('postgres', 'postgres'), 'create database facteur owner facteur')
  await prepareDatabase(addressAs('facteur'))
  await noteClaims({ url: addressAs('facteur') }, { table: 'campaign_recipient', slowly: false })
  await runOn(addressAs('postgres'), 'checkpoint')
  await server.stop()
}

const programOf = (name: string): string =>
  join(postgresBinaries({ identity: {}, canRead: () => true }), 'bin', name)

const environment = { PATH: '/usr/bin:/bin', LC_ALL: 'C' }

interface RunningServer {
  signal(name: NodeJS.Signals): void
  answers(): Promise<void>
  stop(): Promise<void>
}

/** Starts it again a moment after each end. */
function keepRunning(folder: string): RunningServer {
  let isStopping = false
  let server: ChildProcess
  const start = (): void => {
    const [file = '', ...args] = [
      ...on('database'),
      ...asDatabaseUser,
      programOf('postgres'),
      '-D',
      folder,
      ...settings,
    ]
    server = spawn(file, args, { stdio: 'ignore', env: environment, cwd: '/' })
    server.once('exit', () => {
      if (!isStopping) void rest(restartAfterMs).then(start)
    })
  }
  start()
  return {
    signal(name) {
      if (server.pid !== undefined && server.exitCode === null && server.signalCode === null)
        signalPostgres(server.pid, name)
    },
    async answers() {
      await until(() => runOn(addressAs('postgres', 'postgres'), 'select 1').catch(() => null))
    },
    async stop() {
      isStopping = true
      if (server.exitCode !== null || server.signalCode !== null) return
      const ended = once(server, 'exit')
      server.kill('SIGINT')
      await ended
    },
  }
}

const restartAfterMs = 200

/** The service takes some back in between. */
const roundsMax = 12

/** Connections that nobody uses. The superuser's own stay, by which the test ends this. */
async function takeConnections(admin: string): Promise<() => Promise<void>> {
  const taken: pg.Client[] = []
  const take = async (): Promise<void> => {
    const client = new pg.Client({ connectionString: addressAs('stranger', 'postgres') })
    client.on('error', () => undefined)
    taken.push(client)
    await client.connect()
  }
  for (let rounds = 0; rounds < roundsMax; rounds++) {
    await runOn(admin, terminateOurs).catch(notNow)
    const refused = await Promise.all(
      Array.from({ length: 16 }, () =>
        take().then(
          () => false,
          () => true,
        ),
      ),
    )
    if (refused.every(Boolean)) break
  }
  return async () => {
    await Promise.all(taken.map((client) => client.end().catch(() => undefined)))
  }
}

function fill(file: string): Heal {
  return counted(file, {
    begin() {
      const opened = openSync(file, 'w')
      const piece = Buffer.alloc(1024 * 1024)
      // The last pieces are small, so that no page is left.
      for (let size = piece.length; size >= 512; size /= 2)
        while (writes(opened, piece.subarray(0, size)));
      closeSync(opened)
    },
    end: () => rmSync(file),
  })
}

function writes(file: number, piece: Buffer): boolean {
  try {
    return writeSync(file, piece) === piece.length
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
    return false
  }
}
