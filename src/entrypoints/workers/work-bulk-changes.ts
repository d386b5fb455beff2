/** One workspace's turn of changes of contacts: one batch, and then others come. */
import { workBulkChange } from '../../core/audience/bulk/work-bulk-change.ts'
import type { Service } from '../../core/context.ts'
import { fewAtOnce } from '../../core/few-at-once.ts'
import { raiseBulkDue } from '../../db/sending/due.ts'
import type { Turn } from './deliver-due.ts'

/** Batches that one process works off at once, each of another workspace. */
const atOnce = 2
/** While another process works on a change, this one looks again so much later. */
const idleMs = 500

/** The bounds of a process. A change of one contact takes no room from those of many. */
export const createBulkBounds = () => ({
  ofOne: fewAtOnce(atOnce),
  /** The workspaces whose batch of a change of many is worked off now. */
  ofMany: new Set<number>(),
})

export async function workBulkChanges(
  service: Service,
  workspaceId: number,
  { ofOne, ofMany }: ReturnType<typeof createBulkBounds>,
): Promise<Turn> {
  // The pause after a batch leaves the database to the sending of mail.
  if (await ofOne(() => workBulkChange(service, { workspaceId, reach: 'one' }))) return 'full'
  if (ofMany.has(workspaceId) || ofMany.size >= atOnce) return 'full'
  ofMany.add(workspaceId)
  try {
    if (await workBulkChange(service, { workspaceId, reach: 'many' })) return 'full'
  } finally {
    ofMany.delete(workspaceId)
  }
  await raiseBulkDue(service.db, workspaceId)
  return { idleMs }
}
