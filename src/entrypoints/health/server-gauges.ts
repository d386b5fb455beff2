/** Gauges of the state of the database: its clean-up, its hot tables, and the partitions of those that go by time. */
import type { Context } from '../../core/context.ts'
import { oldestHolds } from '../../db/connection/server-state.ts'
import { tableVacuum } from '../../db/connection/table-vacuum.ts'
import { partitionUpkeep } from '../../db/retention/partition-upkeep.ts'
import { gaugeRead, type GaugeRead } from './database-reads.ts'
import type { MakeGauge } from './work-counters.ts'

/** `shared`: makes a gauge whose help says that every process has the same. */
export function readServerGauges({ countingDb }: Pick<Context, 'countingDb'>, gauge: MakeGauge, shared: MakeGauge): GaugeRead[] {
  const held = gauge(
    'facteur_database_oldest_seconds',
    'Age of the oldest open transaction, prepared transaction and unread replication slot; NaN where it is not known',
    'kind',
  )
  const slotBytes = gauge('facteur_database_slot_bytes', 'Bytes of the log that the oldest unread replication slot keeps')
  const tableRows = shared(
    'facteur_table_rows',
    'Rows of a hot table by the statistics of the server: live, and dead ones that it has not cleaned up',
    ...['table', 'state'],
  )
  const vacuumed = shared('facteur_table_vacuumed_seconds', 'Seconds since the last vacuum of a hot table; NaN: never', 'table')
  const partitions = shared(
    'facteur_partitions',
    'Partitions of a table by time: those there now, made and dropped so far',
    ...['table', 'state'],
  )
  const expired = shared(
    'facteur_partition_rows',
    'Rows of a table: deleted in batches, moved from and now in its default partition',
    ...['table', 'state'],
  )
  const upkeep = shared(
    'facteur_partition_upkeep_seconds',
    'Seconds since the partitions of a table were maintained without a failure',
    'table',
  )
  return [
    gaugeRead(
      'holds',
      [held, slotBytes],
      () => oldestHolds(countingDb),
      (holds) => {
        for (const { kind, holder, seconds, bytes } of holds) {
          held.set({ kind }, holder === null ? 0 : (seconds ?? Number.NaN))
          if (kind === 'slot') slotBytes.set(bytes ?? 0)
        }
      },
    ),
    gaugeRead(
      'tables',
      [tableRows, vacuumed],
      () => tableVacuum(countingDb),
      (tables) => {
        for (const { table, liveRows, deadRows, vacuumedSecondsAgo } of tables) {
          tableRows.set({ table, state: 'live' }, liveRows)
          tableRows.set({ table, state: 'dead' }, deadRows)
          vacuumed.set({ table }, vacuumedSecondsAgo ?? Number.NaN)
        }
      },
    ),
    gaugeRead(
      'partitions',
      [partitions, expired, upkeep],
      () => partitionUpkeep(countingDb),
      (tables) => {
        for (const { table, secondsAgo, ...count } of tables) {
          partitions.set({ table, state: 'present' }, count.partitions)
          partitions.set({ table, state: 'made' }, count.made)
          partitions.set({ table, state: 'dropped' }, count.dropped)
          expired.set({ table, state: 'deleted' }, count.deleted)
          expired.set({ table, state: 'moved' }, count.moved)
          expired.set({ table, state: 'default' }, count.defaultRows)
          upkeep.set({ table }, secondsAgo ?? Number.NaN)
        }
      },
    ),
  ]
}
