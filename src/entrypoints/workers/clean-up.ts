/**
 * Deletes expired keys, counters and sign-ups, workspace by workspace; a failure in one of them, or
 * of what the installation has once, waits for the next round, and holds nothing else up.
 */
import type { Service } from '../../core/context.ts'
import { deleteOldFiles } from '../../core/audience/imports/delete-old-files.ts'
import { storeEngagementDates } from '../../core/campaigns/store-engagement-dates.ts'
import { notifySuspensionChange } from '../../core/reputation/notify-suspension-change.ts'
import { dropHidden } from '../../core/webhooks/delete-webhook.ts'
import { deleteFormerProvidersOf } from '../../core/workspaces/set-provider.ts'
import { eachWorkspace } from '../../core/each-workspace.ts'
import type { Connection } from '../../database/client/connect.ts'
import { homeCell } from '../../database/cells/cell-changes.ts'
import { endOldCaptures } from '../../database/transport/move/end-old-captures.ts'
import { recordCleanUpFailures, type CleanUpFailure } from '../../db/retention/clean-up-failures.ts'
import {
  deleteExpired,
  deleteExpiredOf,
  expiringTables,
  expiringTablesOfWorkspaces,
} from '../../db/retention/lifetimes.ts'
import { sampleDisk } from '../../db/retention/disk-by-class.ts'
import { maintainPartitions } from '../../db/retention/maintain-partitions.ts'
import { foldStatusTally } from '../../db/audience/status-tally.ts'
import { deleteOldImports } from '../../db/audience/subscriber-imports.ts'
import { hiddenWebhooks } from '../../db/webhooks/webhooks.ts'

/**
 * Largest number of rows that one statement deletes: longer ones would hold their locks, and reach
 * the statement's time limit.
 */
const atOnce = 5_000
/**
 * From so many changes by status on they are folded; of older ones no day is asked for: the overview
 * shows 90 days, and compares them with those before.
 */
const statusFold = { rowsMin: 1_000, days: 182, max: atOnce }
/** How long an import is stored after its end. */
const importDays = 30

/**
 * What deletes the rest of a workspace. Each function answers how many rows it deleted; a full
 * batch means that more are left.
 */
const ofWorkspaces: Record<
  string,
  (db: Connection, workspaceId: number, stopping: AbortSignal) => Promise<number | void>
> = {
  // One import at a time.
  subscriber_import: async (db, id, stopping) => {
    while (!stopping.aborted && (await deleteOldImports(db, id, importDays, atOnce)) > 0);
  },
  // Rows of files and of erasures wait for it.
  import_file_part: (db, workspaceId) => deleteOldFiles({ db }, workspaceId),
  ...Object.fromEntries(
    expiringTablesOfWorkspaces.map((table) => [
      table,
      (db: Connection, workspaceId: number) =>
        deleteExpiredOf(db, table, { workspaceId, max: atOnce }),
    ]),
  ),
  subscriber_status_tally: (db, id) => foldStatusTally(db, id, statusFold),
  subscriber_engagement: storeEngagementDates,
  former_provider: (db, id) => deleteFormerProvidersOf({ db }, id),
  webhook: async (db, workspaceId) => {
    for (const id of await hiddenWebhooks(db, workspaceId))
      await dropHidden({ db }, { workspaceId, id })
  },
}

type Parts = Pick<Service, 'databaseId' | 'clock' | 'db' | 'log' | 'makeId' | 'settings' | 'wake'>

/**
 * One round through the workspaces of a cell; `stopping` ends it between two statements. Failures
 * are stored for operators.
 */
export async function cleanUp(service: Parts, stopping: AbortSignal): Promise<void> {
  const { databaseId, db } = service
  const round = { ...service, stopping, failures: new Map<string, CleanUpFailure>() }
  await attempt(round, { table: 'partition_upkeep' }, () => maintainPartitions(service, stopping))
  await attempt(round, { table: 'workspace_move' }, () => endOldCaptures(db, stopping))
  await attempt(round, { table: 'disk_usage' }, () => sampleDisk(db))
  if (databaseId === homeCell.id) {
    // The tables that the installation has once go with cell 1.
    for (const table of expiringTables)
      await attempt(round, { table }, () => deleteExpired(db, table, atOnce))
    // Callers without a key are counted in workspace 0.
    await cleanUpWorkspace(round, { id: 0, slug: null })
  }
  for await (const page of eachWorkspace(service)) {
    for (const { id, slug } of page) {
      await cleanUpWorkspace(round, { id, slug })
      // A suspension can end without a call, when old counts leave its window.
      await attempt(round, { table: 'reputation_day', id, slug }, () =>
        notifySuspensionChange(service, id),
      )
    }
  }
  if (!stopping.aborted) await recordCleanUpFailures(db, [...round.failures.values()])
}

interface Round extends Parts {
  stopping: AbortSignal
  failures: Map<string, CleanUpFailure>
}

/** A failure skips the rest of this workspace, and nothing of the others. */
async function cleanUpWorkspace(
  round: Round,
  { id, slug }: { id: number; slug: string | null },
): Promise<void> {
  for (const [table, deleteOld] of Object.entries(ofWorkspaces))
    if (!(await attempt(round, { table, id, slug }, () => deleteOld(round.db, id, round.stopping))))
      return
}

/** Answers false where the work failed, which the next round tries again. */
async function attempt(
  { stopping, failures, log }: Round,
  { table, id, slug = null }: { table: string; id?: number; slug?: string | null },
  work: () => Promise<number | void>,
): Promise<boolean> {
  try {
    while (!stopping.aborted && (await work()) === atOnce);
    return true
  } catch (error) {
    log.error(
      { err: error, table, workspaceId: id },
      'The clean-up of a table failed; the next round tries again',
    )
    const first = failures.get(table)
    if (first) first.others++
    else
      failures.set(table, {
        tableName: table,
        workspace: slug,
        others: 0,
        error: error instanceof Error ? error.message : String(error),
      })
    return false
  }
}
