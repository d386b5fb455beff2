/**
 * Deletes expired keys, counters and sign-ups, workspace by workspace; a failure in one of them, or
 * of what the installation has once, waits for the next round, and holds nothing else up.
 */
import type { Service } from '../../core/context.ts'
import { deleteOldFiles } from '../../core/imports/delete-old-files.ts'
import { notifySuspensionChange } from '../../core/reputation/notify-suspension-change.ts'
import { dropHidden } from '../../core/webhooks/delete-webhook.ts'
import { deleteFormerProvidersOf } from '../../core/workspaces/set-provider.ts'
import { eachWorkspace } from '../../core/each-workspace.ts'
import type { Connection } from '../../db/connection/connect.ts'
import { homeCell } from '../../db/cells/cell-changes.ts'
import { endOldCaptures } from '../../db/moves/end-old-captures.ts'
import { deleteOldBatchSenders } from '../../db/campaigns/batch-senders.ts'
import { deleteOldVolumes } from '../../db/compliance/sender-volumes.ts'
import { deleteOldDestinations } from '../../db/sending/destinations.ts'
import { recordCleanUpFailures, type CleanUpFailure } from '../../db/retention/clean-up-failures.ts'
import { sampleDisk } from '../../db/retention/disk-by-class.ts'
import { maintainPartitions } from '../../db/retention/maintain-partitions.ts'
import { expiredSignIns } from '../../db/users/expired-sign-ins.ts'
import { deleteOldPostmasterDays } from '../../db/postmaster/postmaster-domains.ts'
import { deleteOldIdempotencyKeys } from '../../db/sending/idempotency-keys.ts'
import { deleteOldCounted } from '../../db/workspaces/reputation-counts.ts'
import { deleteOldCounters } from '../../db/workspaces/request-rates.ts'
import { deleteOldNotices } from '../../db/feedback/ses-notices.ts'
import { deleteOldLimits } from '../../db/forms/sign-up-limits.ts'
import { deleteOldRefusals } from '../../db/sending/refusal-counts.ts'
import { deleteOldStsPolicies } from '../../db/sending/sts-policies.ts'
import { deleteOldTlsResults } from '../../db/sending/tls-results.ts'
import { deleteOldImports } from '../../db/subscribers/subscriber-imports.ts'
import { deleteOldSignUps } from '../../db/forms/sign-ups.ts'
import { hiddenWebhooks } from '../../db/webhooks/webhooks.ts'

/**
 * Largest number of rows that one statement deletes: longer ones would hold their locks, and reach
 * the statement's time limit.
 */
const atOnce = 5_000
/** How long an import is stored after its end. */
const importDays = 30

/** The tables that the installation has once, which go with cell 1. */
const ofInstallation = {
  ses_notice: deleteOldNotices,
  destination: deleteOldDestinations,
  sts_policy: deleteOldStsPolicies,
  tls_session: deleteOldTlsResults,
  sender_volume: deleteOldVolumes,
  ...expiredSignIns,
}

/**
 * The tables of a workspace. Each function answers how many rows it deleted; a full batch means
 * that more are left.
 */
const ofWorkspaces: Record<
  string,
  (db: Connection, workspaceId: number, stopping: AbortSignal) => Promise<number | void>
> = {
  request_rate: (db, id) => deleteOldCounters(db, id, atOnce),
  idempotency_key: (db, id) => deleteOldIdempotencyKeys(db, id, atOnce),
  sign_up_rate: (db, id) => deleteOldLimits(db, id, atOnce),
  sign_up: (db, id) => deleteOldSignUps(db, id, atOnce),
  postmaster_day: (db, id) => deleteOldPostmasterDays(db, id, atOnce),
  refusal_day: (db, id) => deleteOldRefusals(db, id, atOnce),
  reputation_address: (db, id) => deleteOldCounted(db, id, atOnce),
  // One import at a time.
  subscriber_import: async (db, id, stopping) => {
    while (!stopping.aborted && (await deleteOldImports(db, id, importDays, atOnce)) > 0);
  },
  batch_sender: deleteOldBatchSenders,
  former_provider: (db, id) => deleteFormerProvidersOf({ db }, id),
  import_file: (db, workspaceId) => deleteOldFiles({ db }, workspaceId),
  webhook: async (db, workspaceId) => {
    for (const id of await hiddenWebhooks(db, workspaceId))
      await dropHidden({ db }, { workspaceId, id })
  },
}

type Parts = Pick<Service, 'cell' | 'clock' | 'db' | 'log' | 'makeId' | 'settings' | 'wake'>

/**
 * One round through the workspaces of a cell; `stopping` ends it between two statements. What fails
 * in it is stored for operators.
 */
export async function cleanUp(service: Parts, stopping: AbortSignal): Promise<void> {
  const { cell, db } = service
  const round = { ...service, stopping, failures: new Map<string, CleanUpFailure>() }
  await attempt(round, { table: 'partition_upkeep' }, () => maintainPartitions(service, stopping))
  await attempt(round, { table: 'workspace_move' }, () => endOldCaptures(db, stopping))
  await attempt(round, { table: 'disk_usage' }, () => sampleDisk(db))
  if (cell.id === homeCell.id) {
    for (const [table, deleteOld] of Object.entries(ofInstallation))
      await attempt(round, { table }, () => deleteOld(db, atOnce))
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
