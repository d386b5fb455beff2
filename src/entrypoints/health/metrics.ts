/** Metrics of this process and its ledger, in Prometheus format. */
import type { BodyLoad } from '../../core/dispatch/entry-points.ts'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { Databases } from '../../core/databases.ts'
import type { Context, Service, WorkCounts } from '../../core/context.ts'
import type { DiskWatch } from '../../core/disk-watch.ts'
import { readBackupGauges } from './backup-gauges.ts'
import { addBackupSchedule, type BackupSchedule } from './backup-schedule.ts'
import { createDatabaseReads } from './database-reads.ts'
import { readDiskGauges } from './disk-gauges.ts'
import { readLedgerGauges } from './ledger-gauges.ts'
import { readPostmasterGauges } from './postmaster-gauges.ts'
import { readServerGauges } from './server-gauges.ts'
import { addWorkCounters, type MakeGauge } from './work-counters.ts'

export interface Metrics {
  /** Observes one answered call of the API. */
  calls: { observe(labels: { operation: string; status: string }, seconds: number): void }
  /** Counts one returned mail or refused command, by its outcome. */
  returned: { inc(labels: { outcome: string }): void }
  /** Counts one mail or refused login of the submission ports, by its outcome. */
  submitted: { inc(labels: { outcome: string }): void }
  /** Sets the function that reads the memory of request bodies. */
  watchBodies(load: () => BodyLoad): void
  /** Counts claims and hand-offs. */
  counts: WorkCounts
  /** Reads what a service holds and its log of calls from now on: one for each cell. */
  watch(service: Pick<Service, 'sending' | 'requestLog'>): void
  contentType: string
  /** All metrics now; those that the database cannot answer at the moment are absent. */
  text(): Promise<string>
}

type Parts = Pick<Context, 'db' | 'countingDb' | 'clock' | 'log' | 'providers'> & {
  databases: Databases<Pick<Context, 'db' | 'countingDb'>>
}

export function createMetrics(
  ctx: Parts,
  disk: Pick<DiskWatch, 'freeBytes' | 'roomBytes'>,
  schedule: BackupSchedule = { backupFolder: null, backupEverySeconds: 0 },
): Metrics {
  const registry = new Registry()
  const registers = [registry]
  const gauge: MakeGauge = (name, help, ...labelNames) =>
    new Gauge({ name, help, labelNames, registers })
  const counter = (name: string, help: string, ...labelNames: string[]) =>
    new Counter({ name, help, labelNames, registers })
  collectDefaultMetrics({ register: registry })
  const readProcess = addProcessGauges(ctx, disk, gauge)
  const shared: MakeGauge = (name, help, ...labelNames) =>
    gauge(name, `${help} (same from every process)`, ...labelNames)
  const readDatabase = createDatabaseReads(ctx, gauge, [
    ...readLedgerGauges(ctx, shared),
    ...readServerGauges(ctx, gauge, shared),
    ...readBackupGauges(ctx, shared),
    ...readDiskGauges(ctx, disk, gauge),
    ...readPostmasterGauges(ctx, shared),
  ])
  addBackupSchedule(schedule, gauge)

  const calls = new Histogram({
    name: 'facteur_http_request_duration_seconds',
    help: 'Calls of the API by operation and status, and how long they took',
    labelNames: ['operation', 'status'],
    // From a lone insert to an inline hand-off that waits for its deadline.
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers,
  })
  const returned = counter(
    'facteur_returned_mails_total',
    'Mails and refused addresses at the inbound port, by outcome',
    'outcome',
  )
  const submitted = counter(
    'facteur_submitted_mails_total',
    'Mails and refused logins at the submission ports, by outcome',
    'outcome',
  )
  const work = addWorkCounters(counter, gauge)
  const bodies = gauge(
    'facteur_body_bytes',
    'Bytes of bodies of calls: held now, waiting for room, the most that was held since the start, and the limit',
    'state',
  )
  let readBodies: (() => BodyLoad) | null = null

  return {
    watchBodies: (load) => void (readBodies = load),
    ...{ calls, returned, submitted, counts: work.counts, watch: work.watch },
    contentType: registry.contentType,
    async text() {
      readProcess()
      work.read()
      const { retained, ...others } = readBodies?.() ?? {}
      for (const [state, bytes] of Object.entries({ held: retained, ...others }))
        if (bytes !== undefined) bodies.set({ state }, bytes)
      await readDatabase()
      return registry.metrics()
    },
  }
}

/** Gauges of this process alone; returns the function that reads them. */
function addProcessGauges(
  ctx: Parts,
  disk: Pick<DiskWatch, 'freeBytes'>,
  gauge: MakeGauge,
): () => void {
  const connections = gauge(
    'facteur_database_connections',
    'Connections of this process to the database, and callers that wait for one',
    'pool',
    'state',
  )
  const timeline = gauge(
    'facteur_database_timeline',
    'Timeline of the primary that this process uses; each failover begins a higher one. Absent where the server hides it',
  )
  const slots = gauge(
    'facteur_provider_free',
    'Envelopes that this process could hand over at once, now',
    'provider',
  )
  const diskFree = gauge(
    'facteur_disk_free_bytes',
    'Bytes free on the disk of the embedded database; NaN where the disk is not watched',
  )
  return () => {
    connections.reset()
    for (const { db, countingDb } of ctx.databases.open())
      for (const [pool, connection] of Object.entries({ main: db, counting: countingDb })) {
        const { open, idle, waiting } = connection.load()
        connections.inc({ pool, state: 'busy' }, open - idle)
        connections.inc({ pool, state: 'idle' }, idle)
        connections.inc({ pool, state: 'waiting' }, waiting)
      }
    const primary = ctx.db.primary()
    if (primary?.timeline) timeline.set(primary.timeline)
    else timeline.remove()
    slots.reset()
    for (const provider of ctx.providers.open())
      slots.inc({ provider: provider.name }, provider.free())
    diskFree.set(disk.freeBytes() ?? Number.NaN)
  }
}
