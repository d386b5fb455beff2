/** Gives an empty database the partitions that a month of upkeep would have left behind it. */
import type { Connection } from '../../src/database/client/connect.ts'
import { endOfPeriod } from '../../src/database/partitions/partition-periods.ts'
import { partitionedTables } from '../../src/database/schema/partitioned-tables.ts'
import { dropTable, makePartition, partitionsOf } from '../../src/database/partitions/partitions.ts'
import { installationRetention } from '../../src/db/retention/retention-limits.ts'

export async function makePartitions(
  db: Connection,
  { sinceMs }: { sinceMs: number },
): Promise<void> {
  const limits = await installationRetention(db)
  for (const [table, entry] of Object.entries(partitionedTables)) {
    const [first] = (await partitionsOf(db, table)) ?? []
    if (!first || first.isDefault) continue
    // What lies before the first partition with a beginning is one partition without: it becomes
    // several.
    const untilMs = first.fromMs ?? first.toMs ?? sinceMs
    await db.transaction(async (tx) => {
      if (first.fromMs === null) await dropTable(tx, first.name)
      for (let fromMs = sinceMs; fromMs < untilMs;) {
        const toMs = Math.min(untilMs, endOfPeriod(fromMs, limits[entry.class].days))
        await makePartition(tx, { table, ...entry }, { fromMs, toMs, isCurrent: false })
        fromMs = toMs
      }
    })
  }
}
