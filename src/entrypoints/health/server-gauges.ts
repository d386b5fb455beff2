/**
 * Gauges of the state of the database: its clean-up, its hot tables, and the partitions of those
 * that go by time.
 */
import { horizonHolders } from '../../database/client/server-state.ts'
import { tableVacuum } from '../../database/schema/table-vacuum.ts'
import { partitionUpkeep } from '../../database/partitions/partition-upkeep.ts'
import { cellsRead, gaugeRead, type GaugeRead, type GaugeSource } from './database-reads.ts'
import type { MakeGauge } from './work-counters.ts'

/** `shared`: makes a gauge whose help says that every process has the same. */
export function readServerGauges(
  source: GaugeSource,
  gauge: MakeGauge,
  shared: MakeGauge,
): GaugeRead[] {
  const { countingDb } = source
  const horizonGauge = gauge(
    'facteur_database_oldest_seconds',
    'Age of the oldest open transaction, prepared transaction and unread replication slot; NaN where it is not known',
    'kind',
  )
  const slotBytes = gauge(
    'facteur_database_slot_bytes',
    'Bytes of the log that the oldest unread replication slot keeps',
  )
  const tableRows = shared(
    'facteur_table_rows',
    'Rows of a hot table by the statistics of the server: live, and dead ones that it has not cleaned up',
    ...['table', 'state'],
  )
  const vacuumed = shared(
    'facteur_table_vacuumed_seconds',
    'Seconds since the last vacuum of a hot table; NaN: never',
    'table',
  )
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
      [horizonGauge, slotBytes],
      () => horizonHolders(countingDb),
      (holders) => {
        for (const { kind, holder, seconds, bytes } of holders) {
          horizonGauge.set({ kind }, holder === null ? 0 : (seconds ?? Number.NaN))
          if (kind === 'slot') slotBytes.set(bytes ?? 0)
        }
      },
    ),
    cellsRead('tables', [tableRows, vacuumed], { source, ask: tableVacuum }, (result) => {
      for (const [table, ofCells] of Map.groupBy(result.flat(), (row) => row.table)) {
        for (const { liveRows, deadRows } of ofCells) {
          tableRows.inc({ table, state: 'live' }, liveRows)
          tableRows.inc({ table, state: 'dead' }, deadRows)
        }
        vacuumed.set(
          { table },
          Math.max(...ofCells.map(({ vacuumedSecondsAgo }) => vacuumedSecondsAgo ?? Number.NaN)),
        )
      }
    }),
    cellsRead(
      'partitions',
      [partitions, expired, upkeep],
      { source, ask: partitionUpkeep },
      (result) => {
        for (const [table, ofCells] of Map.groupBy(result.flat(), (row) => row.table)) {
          for (const count of ofCells) {
            partitions.inc({ table, state: 'present' }, count.partitions)
            partitions.inc({ table, state: 'made' }, count.made)
            partitions.inc({ table, state: 'dropped' }, count.dropped)
            expired.inc({ table, state: 'deleted' }, count.deleted)
            expired.inc({ table, state: 'moved' }, count.moved)
            expired.inc({ table, state: 'default' }, count.defaultRows)
          }
          upkeep.set(
            { table },
            Math.max(...ofCells.map(({ secondsAgo }) => secondsAgo ?? Number.NaN)),
          )
        }
      },
    ),
  ]
}
