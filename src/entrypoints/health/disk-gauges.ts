/**
 * Metrics of the disk by class of data: what each takes, how it grows, and when nothing new is
 * accepted.
 */
import type { DiskWatch } from '../../core/disk-watch.ts'
import { diskUsage, sumOfUsage, secondsUntilFull } from '../../db/retention/disk-by-class.ts'
import { cellsRead, type GaugeRead, type GaugeSource } from './database-reads.ts'
import type { MakeGauge } from './work-counters.ts'

export function readDiskGauges(
  source: GaugeSource,
  { roomBytes }: Pick<DiskWatch, 'roomBytes'>,
  gauge: MakeGauge,
): GaugeRead[] {
  const bytesOf = gauge(
    'facteur_disk_bytes',
    'Bytes of the database by class of data, as of the last hour',
    'class',
  )
  const growth = gauge(
    'facteur_disk_growth_bytes',
    'Bytes a day that the database grew by over the last seven days, net of what expired; NaN before a day was measured',
  )
  const full = gauge(
    'facteur_disk_full_seconds',
    'Seconds until nothing new is accepted for want of disk, at the rate of the last seven days; +Inf where the data does not grow, NaN where the rate or the disk is not known',
  )
  return [
    cellsRead('disk', [bytesOf, growth, full], { source, ask: diskUsage }, (result) => {
      const { classes, bytesPerDay } = sumOfUsage(result)
      for (const { class: name, bytes } of classes) bytesOf.set({ class: name }, bytes)
      growth.set(bytesPerDay ?? Number.NaN)
      full.set(secondsToEnd(roomBytes(), bytesPerDay))
    }),
  ]
}

/** Infinity where it does not grow; NaN where the room or the rate is not known. */
const secondsToEnd = (room: number | null, bytesPerDay: number | null): number =>
  room === null || bytesPerDay === null
    ? Number.NaN
    : (secondsUntilFull(room, bytesPerDay) ?? Infinity)
