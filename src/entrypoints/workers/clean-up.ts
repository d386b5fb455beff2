/**
 * Deletes expired keys, counters and sign-ups, workspace by workspace; a failure in one of them waits for the next
 * round.
 */
import type { Service } from '../../core/context.ts'
import { deleteOldFiles } from '../../core/imports/delete-old-files.ts'
import { notifySuspensionChange } from '../../core/reputation/notify-suspension-change.ts'
import { dropHidden } from '../../core/webhooks/delete-webhook.ts'
import { deleteFormerProvidersOf } from '../../core/workspaces/set-provider.ts'
import { eachWorkspace } from '../../core/each-workspace.ts'
import { homeCell } from '../../db/cells/cell-changes.ts'
import { endOldCaptures } from '../../db/moves/end-old-captures.ts'
import { deleteOldBatchSenders } from '../../db/campaigns/batch-senders.ts'
import { deleteOldVolumes } from '../../db/compliance/sender-volumes.ts'
import { deleteOldDestinations } from '../../db/sending/destinations.ts'
import { sampleDisk } from '../../db/retention/disk-by-class.ts'
import { maintainPartitions } from '../../db/retention/maintain-partitions.ts'
import { deleteExpiredSignIns } from '../../db/users/expired-sign-ins.ts'
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
 * Largest number of rows that one statement deletes: longer ones would hold their locks, and reach the statement's
 * time limit.
 */
const atOnce = 5_000
/** How long an import is stored after its end. */
const importDays = 30

type Parts = Pick<Service, 'cell' | 'clock' | 'db' | 'log' | 'makeId' | 'settings' | 'wake'>

/** One round through the workspaces of a cell; `stopping` ends it between two statements. */
export async function cleanUp(service: Parts, stopping: AbortSignal): Promise<void> {
  await maintainPartitions(service, stopping).catch((error: unknown) =>
    service.log.error({ err: error }, 'Partitions were not maintained; the next round tries again'),
  )
  await endOldCaptures(service.db, stopping).catch((error: unknown) =>
    service.log.error({ err: error }, 'Triggers of a former move were not taken away; the next round tries again'),
  )
  await sampleDisk(service.db).catch((error: unknown) =>
    service.log.error({ err: error }, 'The disk by class was not measured; the next round tries again'),
  )
  if (service.cell.id === homeCell.id) await cleanUpGlobal(service, stopping)
  if (!stopping.aborted) await deleteFormerProvidersOf(service)
  for await (const page of eachWorkspace(service)) {
    for (const { id } of page) {
      await cleanUpWorkspace(service, id, stopping)
      // A suspension can end without a call, when old counts leave its window.
      if (!stopping.aborted) await notifySuspensionChange(service, id).catch((error: unknown) => logFailed(service, id, error))
    }
  }
}

/** What the installation has once, which goes with cell 1. */
async function cleanUpGlobal(service: Parts, stopping: AbortSignal): Promise<void> {
  // Callers without a key are counted in workspace 0.
  await cleanUpWorkspace(service, 0, stopping)
  for (const deleteOld of [
    deleteOldNotices,
    deleteOldDestinations,
    deleteOldStsPolicies,
    deleteOldTlsResults,
    deleteOldVolumes,
    deleteExpiredSignIns,
  ])
    while (!stopping.aborted && (await deleteOld(service.db, atOnce)) === atOnce);
}

async function cleanUpWorkspace({ db, log }: Parts, workspaceId: number, stopping: AbortSignal): Promise<void> {
  try {
    for (const deleteOld of [
      deleteOldCounters,
      deleteOldIdempotencyKeys,
      deleteOldLimits,
      deleteOldSignUps,
      deleteOldPostmasterDays,
      deleteOldRefusals,
      deleteOldCounted,
    ])
      while (!stopping.aborted && (await deleteOld(db, workspaceId, atOnce)) === atOnce);
    while (!stopping.aborted && (await deleteOldImports(db, workspaceId, importDays, atOnce)) > 0);
    if (!stopping.aborted) await deleteOldBatchSenders(db, workspaceId)
    if (!stopping.aborted) await deleteOldFiles({ db }, workspaceId)
    for (const id of await hiddenWebhooks(db, workspaceId)) await dropHidden({ db }, { workspaceId, id })
  } catch (error) {
    logFailed({ log }, workspaceId, error)
  }
}

function logFailed({ log }: Pick<Service, 'log'>, workspaceId: number, error: unknown): void {
  log.error({ err: error, workspaceId }, 'The clean-up of a workspace failed; the next round tries again')
}
