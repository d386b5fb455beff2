/**
 * Checks how fast the data grows: two weeks before intake stops, the operator learns which command
 * frees what.
 */
import { statfsSync } from 'node:fs'
import type { Config } from '../../../ground/config.ts'
import { retentionClasses } from '../../../contract/retention.ts'
import type { Database } from '../../../database/client/database.ts'
import {
  diskUsage,
  secondsUntilFull,
  sumOfUsage,
  totalOf,
  type DiskUsage,
} from '../../../db/retention/disk-by-class.ts'
import { installationRetention } from '../../../db/retention/retention-limits.ts'
import { findAnyLocation } from '../../../database/embedded/postgres-location.ts'
import { shownBytes } from '../../../ground/shown-values.ts'
import { passed, warned, type Check, type EachCell } from './check.ts'

const warnedDays = 14

export async function checkGrowth(
  db: Database,
  eachCell: EachCell,
  config: Pick<Config, 'databaseUrl' | 'dataFolder' | 'diskFreeMin'>,
): Promise<Check> {
  const usages: DiskUsage[] = []
  await eachCell(async (there) => void usages.push(await diskUsage(there)))
  const usage = sumOfUsage(usages)
  const about = describeUsage(usage)
  if (config.databaseUrl !== null)
    return passed('growth', `${about}; the size of the external database's disk is not known here`)
  const seconds = secondsUntilFull(roomOf(config), usage.bytesPerDay)
  if (seconds === null) return passed('growth', about)
  const days = Math.floor(seconds / 86_400)
  const end = `at this rate nothing new is accepted in ${days === 1 ? '1 day' : `${days} days`}, since the disk is full then`
  if (days >= warnedDays) return passed('growth', `${about}; ${end}`)
  return warned('growth', `${about}; ${end}`, await nextStep(db, usage))
}

/** The bytes of each class, and how fast they grow together. */
export function describeUsage({ classes, bytesPerDay }: DiskUsage): string {
  if (classes.length === 0) return 'the data was not measured yet: the service does it once an hour'
  const parts = classes
    .filter(({ bytes }) => bytes > 0)
    .map((sample) => `${sample.class} ${shownBytes(sample.bytes)}`)
  const growth =
    bytesPerDay === null
      ? 'less than a day was measured, too little to know its growth'
      : bytesPerDay <= 0
        ? 'it did not grow over the last days'
        : `it grows by ${shownBytes(bytesPerDay)} a day`
  return `${shownBytes(totalOf(classes))} of data (${parts.join(', ')}); ${growth}`
}

/** Bytes until intake stops. */
function roomOf({ dataFolder, diskFreeMin }: Pick<Config, 'dataFolder' | 'diskFreeMin'>): number {
  const { bavail, bsize } = statfsSync(findAnyLocation(dataFolder)?.home ?? dataFolder)
  return bavail * bsize - diskFreeMin
}

/**
 * The classes that can be stored for less time: the largest with a limit, and each without one,
 * since it grows without end.
 */
async function nextStep(db: Database, { classes }: DiskUsage): Promise<string> {
  const limits = await installationRetention(db)
  const shortenable = classes.flatMap(({ class: name, bytes }) => {
    if (name === 'other' || bytes === 0) return []
    const { days } = limits[name]
    return days !== null && days <= retentionClasses[name].daysMin ? [] : [{ name, bytes, days }]
  })
  const largest = shortenable.find(({ days }) => days !== null)
  const named = shortenable.filter((item) => item === largest || item.days === null)
  const larger = 'move the data folder to a larger disk.'
  if (named.length === 0) return `Next: ${larger}`
  const commands = named.map(
    ({ name, bytes, days }) =>
      `facteur retention set ${name} DAYS (${shownBytes(bytes)}, ${storedFor(days)})`,
  )
  return `Store less: ${commands.join(', ')}; or ${larger}`
}

const storedFor = (days: number | null): string =>
  days === null ? 'stored for ever' : `stored for ${days === 1 ? '1 day' : `${days} days`}`
