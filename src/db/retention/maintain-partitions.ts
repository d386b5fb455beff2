/**
 * Maintains the partitions of the product's tables: what has expired by the limits of the
 * installation goes, but for rows of what is unfinished.
 */
import type { Connection } from '../../database/client/connect.ts'
import type { Log } from '../../ground/log.ts'
import { maintainTables } from '../../database/partitions/maintain-tables.ts'
import { partitionedTables } from '../../database/schema/partitioned-tables.ts'
import { installationRetention } from './retention-limits.ts'
import { unfinished } from './unfinished.ts'

export async function maintainPartitions(
  service: { db: Connection; log: Pick<Log, 'error'> },
  stopping?: AbortSignal,
): Promise<void> {
  const limits = await installationRetention(service.db)
  const tables = Object.entries(partitionedTables).map(([table, entry]) => ({
    ...{ table, ...entry },
    ...limits[entry.class],
  }))
  await maintainTables(service, { tables, staying: unfinished, stopping })
}
