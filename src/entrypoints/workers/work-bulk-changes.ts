/** One workspace's turn of changes of many contacts: one batch, and then others come. */
import { workBulkChange } from '../../core/audience/bulk/work-bulk-change.ts'
import type { Service } from '../../core/context.ts'
import { raiseBulkDue } from '../../db/sending/due.ts'
import type { Turn } from './deliver-due.ts'

/** Batches that one process works off at once, each of another workspace. */
const atOnce = 2
/** While another process works on a change, this one looks again so much later. */
const idleMs = 500

/** `served`: the workspaces whose batch the process works off now. */
export async function workBulkChanges(
  service: Service,
  workspaceId: number,
  served: Set<number>,
): Promise<Turn> {
  if (served.has(workspaceId) || served.size >= atOnce) return 'full'
  served.add(workspaceId)
  try {
    // The pause after a batch leaves the database to the sending of mail.
    if (await workBulkChange(service, workspaceId)) return 'full'
  } finally {
    served.delete(workspaceId)
  }
  await raiseBulkDue(service.db, workspaceId)
  return { idleMs }
}
