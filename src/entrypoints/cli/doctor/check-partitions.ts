/** Checks whether the parts of large tables are made and dropped in time. */
import { homeCell } from '../../../database/cells/cell-changes.ts'
import type { Database } from '../../../database/client/database.ts'
import {
  partitionUpkeep,
  unpartitionedTables,
  type TableUpkeep,
} from '../../../database/partitions/partition-upkeep.ts'
import { passed, warned, type Check, type EachCell } from './check.ts'

/** A backup or a long query may put the upkeep off for hours; partitions are made a week ahead. */
const lateSeconds = 86_400

/** A night that was missed is made up for at any hour (src/db/retention/expire-rows.ts). */
const batchesLateSeconds = 2 * 86_400

/** One finding for each cell. */
export async function checkPartitions(eachCell: EachCell): Promise<Check[]> {
  const checks: Check[] = []
  await eachCell(async (db, cell) => {
    const check = await checkCell(db)
    checks.push(
      cell.id === homeCell.id ? check : { ...check, message: `cell ${cell.id}: ${check.message}` },
    )
  })
  return checks
}

async function checkCell(db: Database): Promise<Check> {
  const [upkeep, whole] = await Promise.all([partitionUpkeep(db), unpartitionedTables(db)])
  const late = upkeep.filter(
    ({ partitions, error, secondsAgo }) =>
      partitions > 0 && (secondsAgo === null ? error !== null : secondsAgo > lateSeconds),
  )
  if (late.length > 0) return warned('partitions', describeLate(late), nextOf(late))
  const waiting = upkeep.filter(
    ({ batchesSecondsAgo }) => batchesSecondsAgo !== null && batchesSecondsAgo > batchesLateSeconds,
  )
  if (waiting.length > 0)
    return warned(
      'partitions',
      `expired rows of ${namesOf(waiting)} were not all deleted for ${spanOf(waiting.map(({ batchesSecondsAgo }) => batchesSecondsAgo))}`,
      'Leave a worker running: it goes on at any hour until they are. If one runs, its log has the reason.',
    )
  if (whole.length > 0)
    return warned(
      'partitions',
      `${whole.join(', ')} could not be divided by time, since a row is of a time to come: expired rows are deleted at night`,
      'Nothing has to be done. Deleting takes longer than dropping a part, and the disk is used again rather than freed.',
    )
  if (!upkeep.some(({ succeededAt }) => succeededAt !== null))
    return passed('partitions', 'not maintained yet: the service does it when it runs')
  const inDefault = upkeep.filter(({ defaultRows }) => defaultRows > 0)
  const about = inDefault.map(
    ({ table, defaultRows }) =>
      `${table} has ${defaultRows} rows outside its parts, deleted at night`,
  )
  return passed(
    'partitions',
    about.length > 0 ? about.join('; ') : 'made ahead, and dropped when their data has expired',
  )
}

/** Tables without a failure of their own share a reason: nobody maintained them. */
function describeLate(late: TableUpkeep[]): string {
  const failing = late.flatMap(({ table, error, secondsAgo }) =>
    error === null ? [] : [`${table} was not maintained for ${spanOf([secondsAgo])}: ${error}`],
  )
  const left = late.filter(({ error }) => error === null)
  const others = `${namesOf(left)} ${left.length === 1 ? 'was' : 'were'} not maintained for ${spanOf(left.map(({ secondsAgo }) => secondsAgo))}`
  return [...failing, ...(left.length > 0 ? [others] : [])].join('; ')
}

const nextOf = (late: TableUpkeep[]): string =>
  late.some(({ error }) => error !== null)
    ? 'End the transaction that the message names, or see the log. Until then expired data stays on the disk.'
    : 'Start a worker, or the whole service. Until then expired data stays on the disk, and no parts are made for new data.'

const namesOf = (tables: TableUpkeep[]): string => tables.map(({ table }) => table).join(', ')

/** The longest; a table that was never maintained has failed for at least a day. */
function spanOf(seconds: (number | null)[]): string {
  const days = Math.floor(Math.max(lateSeconds, ...seconds.map((second) => second ?? 0)) / 86_400)
  return days === 1 ? 'a day' : `${days} days`
}
