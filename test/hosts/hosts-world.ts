/**
 * Five hosts with everything on them: a database, an SMTP sink, and processes of the service. A
 * process of the tests makes them once, and its scenarios and schedules share them, each with a
 * workspace of its own.
 */
import { join } from 'node:path'
import { connect } from '../../src/database/client/connect.ts'
import { startProgram } from '../support/fault-process.ts'
import { openWorkspace, quick, type FaultWorkspace } from '../support/fault-world.ts'
import { readReferee, type RefereeMail } from '../support/referee-sink.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import {
  HOSTS_CLUSTER,
  makeCluster,
  startHostPostgres,
  type HostPostgres,
} from './host-postgres.ts'
import { keepProcess, type HostProcess } from './host-process.ts'
import { addressOfHost, counted, makeNetwork, on, type Heal } from './network.ts'

export const serviceHosts = ['api', 'worker-a', 'worker-b'] as const
export type ServiceHost = (typeof serviceHosts)[number]
export type Services = Record<ServiceHost, HostProcess>

export interface HostsWorld {
  database: HostPostgres
  sink: Sink
  /** A process on its host; the one that was there is stopped. */
  start(host: ServiceHost, settings?: ServiceSettings): Promise<HostProcess>
  /** All of them. Those that run with the same settings go on. */
  startAll(settings: (host: ServiceHost) => ServiceSettings): Promise<Services>
  stop(host: ServiceHost): Promise<void>
  stopServices(): Promise<void>
  /** A new one; also names the domain of its recipients. */
  openWorkspace(): Promise<FaultWorkspace & { recipientDomain: string }>
  /** The mails that the sink has of a workspace. */
  mailsOf(workspace: FaultWorkspace): RefereeMail[]
  close(): Promise<void>
}

export interface Sink {
  /** In the middle of its work, and starts it again on its data. */
  kill(): Promise<void>
  freeze(): Heal
}

export interface ServiceSettings {
  failpoints?: string[]
  /** By their environment names. */
  settings?: Record<string, string | number>
}

const [apiPort, sinkPort] = [3025, 2525]

/** Faults are shorter and longer (schedule.ts). */
const leaseSeconds = 2

let opened: Promise<HostsWorld> | null = null

export const hostsOfProcess = (): Promise<HostsWorld> => (opened ??= openHosts())

async function openHosts(): Promise<HostsWorld> {
  makeNetwork()
  const cluster = process.env[HOSTS_CLUSTER] ?? join(makeTemporaryFolder('cluster'), 'cluster')
  if (process.env[HOSTS_CLUSTER] === undefined) await makeCluster(cluster)
  const database = await startHostPostgres(cluster)
  const folder = makeTemporaryFolder('sink')
  const sink = await startSink(folder).catch(async (error: unknown) => {
    await database.stop()
    throw error
  })
  const db = connect({ connectionString: database.adminUrl, poolSize: 3, applicationName: 'test' })
  const running = new Map<ServiceHost, { key: string; process: HostProcess }>()
  let workspaces = 0

  const start = async (host: ServiceHost, settings: ServiceSettings = {}): Promise<HostProcess> => {
    const key = JSON.stringify(settings)
    const former = running.get(host)
    if (former?.key === key) return former.process
    await stop(host)
    const process = keepProcess(host, {
      databaseUrl: database.url,
      role: host === 'api' ? 'api' : 'worker',
      port: apiPort,
      smtpUrl: `smtp://${addressOfHost('sink')}:${sinkPort}?tls=none`,
      failpoints: settings.failpoints ?? [],
      settings: {
        ...quick,
        FACTEUR_LEASE_SECONDS: leaseSeconds,
        FACTEUR_HOST: '0.0.0.0',
        ...settings.settings,
      },
    })
    running.set(host, { key, process })
    await process.ready
    return process
  }
  const stop = async (host: ServiceHost): Promise<void> => {
    await running.get(host)?.process.stop()
    running.delete(host)
  }
  const stopServices = async (): Promise<void> => void (await Promise.all(serviceHosts.map(stop)))
  return {
    ...{ database, sink, start, stop, stopServices },
    async startAll(settings) {
      const [api, workerA, workerB] = await Promise.all(
        serviceHosts.map((host) => start(host, settings(host))),
      )
      if (!api || !workerA || !workerB) throw new Error('There are three')
      return { api, 'worker-a': workerA, 'worker-b': workerB }
    },
    async openWorkspace() {
      const name = `hosts-${++workspaces}`
      const workspace = await openWorkspace(db, {}, name)
      const address = `http://${addressOfHost('api')}:${apiPort}`
      return {
        url: database.url,
        db,
        ...workspace,
        addressOf: () => address,
        recipientDomain: `recipients-${workspaces}.test`,
      }
    },
    mailsOf: ({ domain }) =>
      readReferee(folder).filter(({ bytes }) => bytes.includes(`@${domain}>`)),
    async close() {
      await stopServices()
      await db.end()
      await sink.stop()
      await database.stop()
    },
  }
}

async function startSink(folder: string): Promise<Sink & { stop(): Promise<void> }> {
  const program = join(import.meta.dirname, '../support/referee-sink.ts')
  const args = ['--dir', folder, '--host', addressOfHost('sink'), '--port', String(sinkPort)]
  const start = (): ReturnType<typeof startProgram> => startProgram(program, args, on('sink'))
  let current = start()
  const restart = async (): ReturnType<typeof startProgram> => {
    const former = await current
    await former.kill()
    return start()
  }
  const signal = (name: NodeJS.Signals) => (): void =>
    void current.then((sink) => sink.signal(name))
  return {
    async kill() {
      // One after the other: two at once would want one port.
      current = restart()
      await current
    },
    freeze: () => counted('sink frozen', { begin: signal('SIGSTOP'), end: signal('SIGCONT') }),
    stop: async () => (await current).kill(),
  }
}
