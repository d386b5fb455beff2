/** Metrics of this process and its ledger, in Prometheus format. */
import type { BodyLoad } from '../../core/dispatch/entry-points.ts'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { Context, Service } from '../../core/context.ts'
import type { DiskWatch } from '../../core/disk-watch.ts'
import { heldTotals } from '../../db/backups/held-counts.ts'
import { laneLags, todaysCounts, unfinishedCounts } from '../../db/sending/ledger-state.ts'
import { partitionUpkeep } from '../../db/retention/partition-upkeep.ts'
import { throttledProviders } from '../../db/sending/provider-rates.ts'
import { oldestHolds } from '../../db/connection/server-state.ts'

export interface Metrics {
  /** Counts one answered call of the API; `operation` null: no operation has this path. */
  countCall(call: { operation: string | null; status: number; seconds: number }): void
  /** Counts one returned mail or refused command, by its outcome. */
  countReturned(outcome: string): void
  /** Sets the function that reads the memory of request bodies. */
  watchBodies(load: () => BodyLoad): void
  /** The same service, whose hand-offs are counted. */
  countHandOffs<S extends Service>(service: S): S
  contentType: string
  /** All metrics now, without those that the database cannot answer at the moment. */
  text(): Promise<string>
}

type Parts = Pick<Context, 'db' | 'countingDb' | 'log' | 'providers'>

export function createMetrics(ctx: Parts, disk: Pick<DiskWatch, 'freeBytes'>): Metrics {
  const registry = new Registry()
  const registers = [registry]
  const gauge: MakeGauge = (name, help, ...labelNames) => new Gauge({ name, help, labelNames, registers })
  const counter = (name: string, help: string) => new Counter({ name, help, labelNames: ['outcome'], registers })
  collectDefaultMetrics({ register: registry })
  const readProcess = addProcessGauges(ctx, disk, gauge)
  const readLedger = addLedgerGauges(ctx, gauge)

  const calls = new Histogram({
    name: 'facteur_http_request_duration_seconds',
    help: 'Calls of the API by operation and status, and how long they took',
    labelNames: ['operation', 'status'],
    // From a lone insert to an inline hand-off that waits for its deadline.
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers,
  })
  const handOffs = counter('facteur_hand_offs_total', 'Hand-offs of this process by outcome')
  const returned = counter('facteur_returned_mails_total', 'Mails and refused addresses at the inbound port, by outcome')
  const bodies = gauge(
    'facteur_body_bytes',
    'Bytes of bodies of calls: held now, waiting for room, the most that was held since the start, and the limit',
    'state',
  )
  let readBodies: (() => BodyLoad) | null = null

  return {
    watchBodies: (load) => void (readBodies = load),
    countReturned: (outcome) => returned.inc({ outcome }),
    countCall: ({ operation, status, seconds }) =>
      calls.observe({ operation: operation ?? 'none', status: String(status) }, seconds),
    countHandOffs: (service) => ({
      ...service,
      sending: {
        ...service.sending,
        async handOff(row) {
          const event = await service.sending.handOff(row)
          handOffs.inc({ outcome: event ?? 'lost' })
          return event
        },
        openBatchSender: (options) =>
          service.sending.openBatchSender({
            ...options,
            onEnd(outcome) {
              handOffs.inc({ outcome })
              options.onEnd(outcome)
            },
          }),
      },
    }),
    contentType: registry.contentType,
    async text() {
      readProcess()
      for (const [state, bytes] of Object.entries(readBodies?.() ?? {})) bodies.set({ state }, bytes)
      await readLedger().catch((error: unknown) => ctx.log.warn({ err: error }, 'The ledger was not measured'))
      return registry.metrics()
    },
  }
}

type MakeGauge = (name: string, help: string, ...labelNames: string[]) => Gauge

/** Gauges of this process alone; returns the function that reads them. */
function addProcessGauges(
  { db, countingDb, providers }: Parts,
  disk: Pick<DiskWatch, 'freeBytes'>,
  gauge: MakeGauge,
): () => void {
  const connections = gauge(
    'facteur_database_connections',
    'Connections of this process to the database, and callers that wait for one',
    'pool',
    'state',
  )
  const slots = gauge('facteur_provider_free', 'Envelopes that this process could hand over at once, now', 'provider')
  const diskFree = gauge(
    'facteur_disk_free_bytes',
    'Bytes free on the disk of the embedded database; NaN where the disk is not watched',
  )
  return () => {
    for (const [pool, connection] of Object.entries({ main: db, counting: countingDb })) {
      const { open, idle, waiting } = connection.load()
      connections.set({ pool, state: 'busy' }, open - idle)
      connections.set({ pool, state: 'idle' }, idle)
      connections.set({ pool, state: 'waiting' }, waiting)
    }
    slots.reset()
    for (const provider of providers.open()) slots.inc({ provider: provider.name }, provider.free())
    diskFree.set(disk.freeBytes() ?? Number.NaN)
  }
}

/** Gauges from the database, the same from every process. Each read resets them first: no old number outlives an outage. */
function addLedgerGauges({ countingDb, providers }: Parts, gauge: MakeGauge): () => Promise<void> {
  const shared: MakeGauge = (name, help, ...labelNames) => gauge(name, `${help} (same from every process)`, ...labelNames)
  const gauges = {
    lag: shared('facteur_due_lag_seconds', 'Seconds that the longest waiting workspace of a lane has been due', 'lane'),
    unsettled: shared('facteur_recipients', 'Recipients that are not settled, by lane and state', 'lane', 'state'),
    today: shared('facteur_today_recipients', 'Recipients handed over, bounced and complained today, UTC', 'event'),
    throttled: shared(
      'facteur_provider_throttled',
      '1 while a provider has asked for a slower pace within the last minute',
      'provider',
    ),
    lowered: shared(
      'facteur_provider_pace',
      'Mails a second of a throttled provider: the lowered pace, and the former one',
      'provider',
      'pace',
    ),
    held: gauge(
      'facteur_database_oldest_seconds',
      'Age of the oldest open transaction, prepared transaction and unread replication slot; NaN where it is not known',
      'kind',
    ),
    restored: shared('facteur_held_after_restore', 'What waits for facteur restore release or discard, by kind', 'kind'),
    slotBytes: gauge('facteur_database_slot_bytes', 'Bytes of the log that the oldest unread replication slot keeps'),
    partitions: shared(
      'facteur_partitions',
      'Partitions of a table by time: those there now, made and dropped so far',
      'table',
      'state',
    ),
    expired: shared(
      'facteur_partition_rows',
      'Rows of a table: deleted in batches, moved from and now in its default partition',
      'table',
      'state',
    ),
    upkeep: shared(
      'facteur_partition_upkeep_seconds',
      'Seconds since the partitions of a table were maintained without a failure',
      'table',
    ),
  }
  const { lag, unsettled, today, throttled, lowered, held, slotBytes, partitions, expired, upkeep, restored } = gauges
  return async () => {
    for (const each of Object.values(gauges)) each.reset()
    const [lags, counts, day, slowed, holds, tables, heldBack] = await Promise.all([
      ...[laneLags(countingDb), unfinishedCounts(countingDb), todaysCounts(countingDb)],
      ...[throttledProviders(countingDb, null), oldestHolds(countingDb), partitionUpkeep(countingDb), heldTotals(countingDb)],
    ] as const)
    for (const { table, secondsAgo, ...count } of tables) {
      partitions.set({ table, state: 'present' }, count.partitions)
      partitions.set({ table, state: 'made' }, count.made)
      partitions.set({ table, state: 'dropped' }, count.dropped)
      expired.set({ table, state: 'deleted' }, count.deleted)
      expired.set({ table, state: 'moved' }, count.moved)
      expired.set({ table, state: 'default' }, count.defaultRows)
      upkeep.set({ table }, secondsAgo ?? Number.NaN)
    }
    throttled.set({ provider: providers.deployment.name }, 0)
    for (const { provider, perSecond, formerPerSecond } of slowed) {
      throttled.set({ provider }, 1)
      if (perSecond !== null) lowered.set({ provider, pace: 'lowered' }, perSecond)
      if (formerPerSecond !== null) lowered.set({ provider, pace: 'former' }, formerPerSecond)
    }
    for (const { kind, holder, seconds, bytes } of holds) {
      held.set({ kind }, holder === null ? 0 : (seconds ?? Number.NaN))
      if (kind === 'slot') slotBytes.set(bytes ?? 0)
    }
    for (const { kind, held: count } of heldBack) restored.set({ kind }, count)
    for (const { lane, seconds } of lags) lag.set({ lane }, seconds)
    for (const { lane, state, rows } of counts) unsettled.set({ lane, state }, rows)
    for (const [event, count] of Object.entries({ handed_over: day.handOffs, bounced: day.bounces, complained: day.complaints }))
      today.set({ event }, count)
  }
}
