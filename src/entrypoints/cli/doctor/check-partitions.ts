/** Checks whether the parts of large tables are made and dropped in time. */
import type { Database } from '../../../db/connection/connect.ts'
import { partitionUpkeep, unpartitionedTables } from '../../../db/retention/partition-upkeep.ts'
import { passed, warned, type Check } from './check.ts'

/** A backup or a long query may put the upkeep off for hours; partitions are made a week ahead. */
const lateSeconds = 86_400

export async function checkPartitions(db: Database): Promise<Check> {
  const [upkeep, whole] = await Promise.all([partitionUpkeep(db), unpartitionedTables(db)])
  const late = upkeep.filter(({ error, secondsAgo }) => error !== null && (secondsAgo === null || secondsAgo > lateSeconds))
  if (late.length > 0)
    return warned(
      'partitions',
      late.map(({ table, error }) => `${table} was not maintained for a day: ${error}`).join('; '),
      'End the transaction that the message names, or see the log. Until then expired data stays on the disk.',
    )
  if (whole.length > 0)
    return warned(
      'partitions',
      `${whole.join(', ')} could not be divided by time, since a row is of a time to come: expired rows are deleted at night`,
      'Nothing has to be done. Deleting takes longer than dropping a part, and the disk is used again rather than freed.',
    )
  const inDefault = upkeep.filter(({ defaultRows }) => defaultRows > 0)
  const about = inDefault.map(({ table, defaultRows }) => `${table} has ${defaultRows} rows outside its parts, deleted at night`)
  return passed('partitions', about.length > 0 ? about.join('; ') : 'made ahead, and dropped when their data has expired')
}
