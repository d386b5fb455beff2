/** Metrics from the database, the same from every process. */
import type { Context } from '../../core/context.ts'
import { backupState } from '../../db/backups/backup-state.ts'
import { databaseCopy } from '../../db/moves/copy-state.ts'
import { heldTotals } from '../../db/backups/held-counts.ts'
import { laneLags, todaysCounts, unfinishedCounts } from '../../db/sending/ledger-state.ts'
import { partitionUpkeep } from '../../db/retention/partition-upkeep.ts'
import { throttledProviders } from '../../db/sending/provider-rates.ts'
import { oldestHolds } from '../../db/connection/server-state.ts'
import { tableVacuum } from '../../db/connection/table-vacuum.ts'
import { webhookBacklog } from '../../db/webhooks/webhook-health.ts'
import type { MakeGauge } from './work-counters.ts'

/** Each read resets them first: no old number outlives an outage. */
export function addLedgerGauges(
  { countingDb, providers }: Pick<Context, 'countingDb' | 'providers'>,
  gauge: MakeGauge,
): () => Promise<void> {
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
    backupAge: shared(
      'facteur_backup_age_seconds',
      'Seconds since the moment that the last scheduled backup shows; NaN without one',
    ),
    backupFailed: shared('facteur_backup_failed', '1 while the last try of a scheduled backup failed'),
    copyShare: shared(
      'facteur_database_copy_share',
      'How much of a copy to another database is done, from 0 to 1; NaN without one',
    ),
    backupBytes: shared('facteur_backup_bytes', 'Bytes of the last scheduled backup'),
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
    webhooks: shared(
      'facteur_webhook_backlog',
      'Deliveries of webhooks that wait for an attempt, at most 10,000 of each webhook',
    ),
    webhookLag: shared('facteur_webhook_lag_seconds', 'Seconds since the first waiting delivery of a webhook was due'),
    tableRows: shared(
      'facteur_table_rows',
      'Rows of a hot table by the statistics of the server: live, and dead ones that it has not cleaned up',
      'table',
      'state',
    ),
    vacuumed: shared('facteur_table_vacuumed_seconds', 'Seconds since the last vacuum of a hot table; NaN: never', 'table'),
    upkeep: shared(
      'facteur_partition_upkeep_seconds',
      'Seconds since the partitions of a table were maintained without a failure',
      'table',
    ),
  }
  const {
    lag,
    unsettled,
    today,
    throttled,
    lowered,
    held,
    slotBytes,
    partitions,
    expired,
    upkeep,
    webhooks,
    webhookLag,
    tableRows,
    restored,
    backupAge,
    backupFailed,
    backupBytes,
    copyShare,
    vacuumed,
  } = gauges
  return async () => {
    for (const each of Object.values(gauges)) each.reset()
    const [lags, counts, day, slowed, holds, tables, backlog, hot, heldBack, backup, copy] = await Promise.all([
      ...[laneLags(countingDb), unfinishedCounts(countingDb), todaysCounts(countingDb)],
      ...[throttledProviders(countingDb, null), oldestHolds(countingDb), partitionUpkeep(countingDb)],
      ...[webhookBacklog(countingDb), tableVacuum(countingDb), heldTotals(countingDb)],
      backupState(countingDb),
      databaseCopy(countingDb),
    ] as const)
    webhooks.set(backlog.rows)
    webhookLag.set(backlog.seconds)
    for (const { table, liveRows, deadRows, vacuumedSecondsAgo } of hot) {
      tableRows.set({ table, state: 'live' }, liveRows)
      tableRows.set({ table, state: 'dead' }, deadRows)
      vacuumed.set({ table }, vacuumedSecondsAgo ?? Number.NaN)
    }
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
    backupAge.set(backup?.ageSeconds ?? Number.NaN)
    backupFailed.set(backup?.failedAt ? 1 : 0)
    copyShare.set(copy?.share ?? Number.NaN)
    backupBytes.set(backup?.bytes ?? 0)
    for (const { kind, held: count } of heldBack) restored.set({ kind }, count)
    for (const { lane, seconds } of lags) lag.set({ lane }, seconds)
    for (const { lane, state, rows } of counts) unsettled.set({ lane, state }, rows)
    for (const [event, count] of Object.entries({ handed_over: day.handOffs, bounced: day.bounces, complained: day.complaints }))
      today.set({ event }, count)
  }
}
